"""Parts of the wordings by which somebody gives way. A space is any white space; see ``cues``.

What may stand between "I" and the verb is listed: "not" and "would" are not among it, so that "I do not concede" and
"I would concede" match nothing.
"""

_AUXILIARY = (
    "will|must|can|do|did|am|are|have|had|also|now|then|too|therefore|hereby|thus|already|still|"
    "(?:have|need|want|willing|happy|glad|forced|prepared|ready|bound) to|"
    r"(?!hardly|scarcely|barely|rely|reply|apply)\w{1,20}ly"
)
SELF = rf"\b(?:I|we)(?:'(?:ll|ve|m|re))?(?:,? (?:{_AUXILIARY}),?){{0,4}}"
MUCH = r"(?: (?:also|both|quite|partly|half|in part|\w{1,20}ly)){0,2}"
SPEAKER = "(?:(?:the )?(?:challenger|proposer)|the (?:other side|opposition|opponent|critic)|my opponent)"
_SOMEBODY = r"(?-i:(?!This|That|It|What|Which|Who|No|Ne|Every|Some|Any|All)[A-Z][a-z]+)"
"""A tool by its name: the sides are told what they argue with."""

IS_RIGHT = (
    rf"\b{_SOMEBODY} is{MUCH} (?:right|correct) (?:that|about|to)\b|"
    rf"\b(?:you(?: are|'re| were)|{SPEAKER}(?: is|'s| was)){MUCH} (?:right|correct)(?!\w|-| only\b| if\b)"
)
OBJECTIONS = "point|objection|challenge|criticism|critique|concern|correction|complaint|caveat|catch"
ARGUMENTS = "argument|observation|finding|reading|analysis|claim|diagnosis|statement|assertion|estimate|premise"
OBJECTION, ARGUMENT = f"(?:{OBJECTIONS})s?", f"(?:{ARGUMENTS})s?"
SOUND = (
    "(?:valid|fair|correct|right|well[ -]taken|well[ -]founded|legitimate|accurate|justified|sound|reasonable)"
    r"\b(?! (?:only|if|unless)\b)"
)
UP_TO_VERB = r"(?:(?!\s(?:is|are|was|were)\b)[^.,;:!?]){0,80}"
OWN = (
    rf"(?:my|our|(?:the|this|that) (?:[\w.%'-]+ ){{0,3}}(?:number|figure|citation|suggestion|version of my|{ARGUMENT}|"
    rf"{OBJECTION})|[A-Z]\d[\d.]*)\b"
)
GIVEN = "(?:concessions?|admissions?|acceptance|agreement|conceded|granted|accepted|admitted|agreed)"
GIVE = r"(?:conced(?:e|ed|ing)|grant(?:ed|ing)?|accept(?:ed|ing)?|admit(?:ted|ting)?|agree(?:d|ing)?)"
