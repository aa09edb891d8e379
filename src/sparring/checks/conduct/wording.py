"""By what words somebody is seen to give something up, to take that back, or to agree. English; some Vietnamese.

Each is held against one sentence in which apostrophes are straight and quotations and code are masked. All gaps are
bounded: a sentence costs no more than its length.
"""

from sparring.checks.conduct.cues import cue
from sparring.checks.conduct.vocabulary import (
    ARGUMENT,
    ARGUMENTS,
    GIVE,
    GIVEN,
    IS_RIGHT,
    MUCH,
    OBJECTION,
    OBJECTIONS,
    OWN,
    SELF,
    SOUND,
    SPEAKER,
    UP_TO_VERB,
)

CONCESSION = (
    cue("conced", rf"{SELF} conced(?:ed?|ing)(?! (?:nothing|none|no|neither|zero)\b|:\s*(?:nothing|none)\b)"),
    cue(
        "grant|admit",
        rf"{SELF} (?:grant|admit)(?:t?ed)?(?= (?:that|you|this|it|to|your|my|both|as much|I|"
        rf"the (?:{OBJECTION}|{ARGUMENT}))\b|"
        r"\s*(?:[,:.;—–]|\Z))",
    ),
    cue(
        "accept",
        rf"{SELF} accept(?:ed)? (?:that|this|it|your|(?:the|both) (?:[\w']+ ){{0,2}}(?:{OBJECTION}|{ARGUMENT}|"
        r"limit(?:ation)?|risk|burden|fault|weakness))\b",
    ),
    cue(
        "acknowledge",
        rf"{SELF} acknowledge (?:that )?(?:you|{SPEAKER} is|my (?:\w+ )?(?:error|mistake|claim)|I (?:was|over))",
    ),
    cue("corrected|down|yield|relent", rf"{SELF} (?:stand corrected|back down|yield|relent)\b"),
    cue(
        "withdraw|retract|drop|abandon|give|relinquish|revise|amend|narrow|soften|weaken|scale|walk|take|correct",
        rf"{SELF} (?:(?:withdraw|retract|abandon|narrow|soften|weaken)(?:ing)?|drop|give up|relinquish|revise|amend|"
        rf"scale back|walk back|take back|correct) {OWN}",
    ),
    cue("longer", rf"{SELF} no longer (?:claim|argue|defend|maintain|object|contest|dispute|press|insist)\b"),
    cue("give|grant", rf"{SELF} (?:give|grant) you (?:that|this)\b"),
    cue(
        "stated|look|read|estimated|represented|characteri|counted|spoke",
        rf"{SELF} (?:over|under|mis)(?:stated|look(?:ed)?|read|estimated|represented|characteri[sz]ed|counted|spoke)\b",
    ),
    cue("missed|neglected|conflated|exaggerated", rf"{SELF} (?:missed|neglected|conflated|exaggerated)\b"),
    cue("failed", rf"{SELF} failed to (?:consider|mention|account|address|cite|check|notice|see)\b"),
    cue(
        "wrong|take|mistake|error",
        rf"{SELF} (?:(?:got|had) (?:this|that|it|the \w+) wrong|take (?:the|your|that) point|"
        r"made an? (?:mistake|error))\b",
    ),
    cue(
        "answer|rebuttal|counter|reply",
        rf"{SELF} (?:have )?no (?:good |further |real |convincing )?(?:answer|rebuttal|counter[\w-]*|reply)\b"
        r"(?! (?:is|was)\b)",
    ),
    cue(
        "wrong|mistaken|incorrect|error",
        rf"{SELF} (?:was|were|been){MUCH} (?:wrong|mistaken|incorrect|in error)\b(?!-)",
    ),
    cue("wrong|mistaken|incorrect", rf"\b(?:I'm|I am|we are|we're){MUCH} (?:wrong|mistaken|incorrect)\b"),
    cue(
        "deny|dispute|contest|defend|substantiate|back",
        r"\b(?:I|we) (?:cannot|can't|do not|don't|won't|will not) "
        r"(?:deny|dispute|contest|defend|substantiate|back up)\b",
    ),
    cue(
        "my",
        rf"\bmy (?:[\w-]+ ){{0,3}}{ARGUMENT}\b[^.;:!?]{{0,60}}? (?:was|is|were){MUCH} (?:wrong|mistaken|incorrect|"
        r"overstated|inaccurate|too (?:strong|broad|absolute|general|narrow|hasty)|"
        r"an? (?:error|mistake|overstatement))\b",
    ),
    cue("mistake|error|bad|culpa", r"\b(?:my (?:mistake|error|bad)\b|mea culpa\b)(?=\W|\Z)(?! (?:is|was|would)\b)"),
    cue("right|correct", IS_RIGHT),
    cue("rightly|correctly", rf"\bas (?:you|{SPEAKER}) (?:rightly|correctly) "),
    cue(
        "rightly|correctly",
        rf"\b(?:you|{SPEAKER}) (?:rightly|correctly) (?:point|note|observe|identif|flag|call|say|spot|show)",
    ),
    cue(
        OBJECTIONS,
        rf"\b(?:you|{SPEAKER}) (?:have|has|make|makes|raise|raises) an? (?:fair|valid|good|legitimate|real|strong|"
        rf"reasonable) {OBJECTION}\b",
    ),
    cue("point", rf"\b(?:you|{SPEAKER}) (?:do |does )?(?:have|has) a point\b"),
    cue(
        OBJECTIONS,
        rf"\b(?:your|their|this|that|these|those|the|{SPEAKER}'s) (?:[\w'-]+ ){{0,2}}{OBJECTION}\b{UP_TO_VERB} "
        rf"(?:is|are|was|were){MUCH} (?:an? )?{SOUND}\b",
    ),
    cue(
        ARGUMENTS,
        rf"\b(?:your|their|{SPEAKER}'s) (?:[\w'-]+ ){{0,2}}{ARGUMENT}\b{UP_TO_VERB} (?:is|are|was|were){MUCH} "
        rf"{SOUND}\b",
    ),
    cue(
        "conceded|accepted|taken",
        rf"\b(?:{OBJECTION}(?: \d[\d.]*)?|[A-Z]\d[\d.]*) (?:is|are){MUCH} "
        r"(?:conceded|accepted|well[ -]taken)\b(?! by\b)",
    ),
    cue(
        OBJECTIONS,
        rf"\b(?:that|this|it)(?:'s| is){MUCH} (?:an? )?(?:fair|valid|legitimate|reasonable) {OBJECTION}"
        r"(?=\W*(?:\Z|[.,;:!—–-]|(?:and|but|about|on|that|against|here|which)\b))",
    ),
    cue("that", r"\A\W*that(?:'s| is) (?:fair|right|correct|true)\b(?! (?:if|only)\b)"),
    cue(OBJECTIONS, rf"\A[\W\d]*(?:[A-Z]\d[\d.]*\W+)?(?:fair|valid|good) (?:{OBJECTION})\b(?! (?:of|in|for)\b)"),
    cue("enough|taken|touché", r"\A[\W\d]*(?:fair enough|point taken|touché)\b"),
    cue("concede|concession", r"\A\W*(?:concede|concession accepted)\s*(?:[.,:;!—–]|\Z)"),
    cue("concession", r"\A[\W\d]*concession\s*:\s*(?!(?:none|no|nothing)\b)[\w(]"),
    cue(
        "conceded|granted|agreed",
        r"(?:\A|[:.;,(—–-]\s*|\A\W*[A-Z]\d[\d.]*\W+)(?:\w{1,20}ly )?(?:conceded|granted|agreed)"
        r"(?=\s*(?:[.,:;!)—–-]|\Z)| that\b)"
        r"(?!\W*(?:\d+\b|none\b|nothing\b|by\b|in round\b|no\b))",
    ),
    cue("admittedly|granted|true", r"\A\W*(?:admittedly|granted|true),"),
    cue(
        "tôi",
        r"\b(?:tôi|chúng tôi) (?:(?:xin|phải|hoàn toàn|cũng|sẵn sàng) ){0,2}"
        r"(?:thừa nhận|nhượng bộ|công nhận|chấp nhận)\b",
    ),
    cue("đúng", r"\b(?:bạn|anh|phía|bên)(?: phản biện| kia)? (?:(?:nói|đã|hoàn toàn|là) ){0,2}đúng\b"),
    cue("tôi", r"\btôi (?:đã )?(?:sai|nhầm)\b"),
)
"""Giving something up."""

WITHDRAWAL = (
    cue(
        "withdraw|retract|revoke|rescind|recant|back|reverse|undo",
        rf"{SELF} (?:withdraw|retract|revoke|rescind|recant|take back|walk back|reverse|undo)(?:ing)? "
        rf"(?!nothing\b|no\b)[^.;:!?]{{0,60}}?\b{GIVEN}\b",
    ),
    cue(
        "concession",
        r"\bconcession\b[^.;:!?]{0,80}\b(?:I|we) (?:now |hereby |must ){0,2}"
        r"(?:(?:withdraw|retract|rescind) (?:it|that)|"
        r"take (?:it|that) back)\b",
    ),
    cue("back", rf"{SELF} (?:taking|walking) back [^.;:!?]{{0,60}}?\b{GIVEN}\b"),
    cue("back", rf"{SELF} (?:take|taking|walk|walking) (?:that|this|it|my (?:\w+ ){{0,3}}concession) back\b"),
    cue(
        "withdraw|retract|recant|rescind|revoke",
        rf"\A\W*{SELF} (?:withdraw|retract|recant|rescind|revoke)(?: (?:that|it|this))?\s*(?:[.,;:!—–]|\Z)",
    ),
    cue(
        "longer",
        rf"{SELF} no longer (?:concede|accept|grant|admit|agree|stand by (?:my|that|the) (?:\w+ ){{0,2}}concession)\b",
    ),
    cue("contrary", rf"\bcontrary to (?:what|that which) (?:I|we) (?:\w+ ){{0,2}}{GIVEN}\b"),
    cue("contrary", rf"\bcontrary to my (?:[\w-]+ ){{0,3}}{GIVEN}\b"),
    cue("have", rf"\b(?:I|we) (?:should|ought)(?: not|n't) (?:to )?have {GIVEN}\b"),
    cue(
        "too",
        rf"\b(?:I|we) (?:\w+ )?{GIVE} (?:\w+ ){{0,4}}?(?:far |much )?too (?:much|quickly|soon|readily|easily|"
        r"hastily|early|generously)\b",
    ),
    cue(
        "was|were",
        rf"\b(?:I|we) (?:was|were){MUCH} (?:wrong|mistaken|hasty|premature|too (?:quick|hasty|generous)) "
        rf"(?:to|in|when I|for) {GIVE}\b",
    ),
    cue(
        "concession|admission|acceptance",
        r"\bmy (?:[\w-]+ ){0,3}(?:concession|admission|acceptance)\b[^.;:!?]{0,60}? (?:was|is)"
        r"(?: \w{1,20}ly| now| hereby)? (?:withdrawn|retracted|revoked|mistaken|premature|wrong|void|"
        r"an? (?:error|mistake))\b",
    ),
    cue(
        "concession|admission|acceptance",
        r"\bmy (?:[\w-]+ ){0,3}(?:concession|admission|acceptance)\b[^.;:!?]{0,60}? (?:no longer|does not|doesn't) "
        r"(?:stands?|holds?|appl(?:y|ies))\b",
    ),
    cue("tôi", r"\btôi (?:(?:xin|phải|nay) )?rút lại (?:(?:sự|điều|lời|điểm) )?(?:đã )?(?:nhượng bộ|thừa nhận)"),
    cue("tôi", r"\btôi không còn (?:thừa nhận|chấp nhận|nhượng bộ)\b"),
)
"""Taking an earlier concession back. Taking back a claim of one's own is a concession."""

AGREEMENT = (
    cue("agree|concur", rf"{SELF} (?:agree|concur)\b(?! to disagree| with (?:none|nothing)\b|\W+(?:nothing|none)\b)"),
    cue("convinced|satisfied|persuaded", rf"{SELF} (?:am |'m )?(?:convinced|satisfied|persuaded)\b(?! that\b)"),
    cue("side", rf"{SELF} side with\b"),
    cue(
        "resolved|settled|satisfied|closed",
        rf"{SELF} (?:certify|consider|regard|mark) [^.;:!?]{{0,60}}?\b(?:resolved|settled|satisfied|closed)\b",
    ),
    cue("resolved", r"\bgenuinely resolved\b"),
    cue(
        "resolved|settled|met",
        rf"\b(?:this|that|the|my) (?:[\w-]+ ){{0,2}}(?:{OBJECTION})(?: [A-Z]\d[\d.]*)? (?:is|are){MUCH}(?: now)? "
        r"(?:resolved|settled|met)\b",
    ),
    cue("tôi", r"\btôi (?:(?:hoàn toàn|cũng) )?đồng ý\b"),
)
"""Agreeing, being convinced, calling a concern resolved; what gives something up agrees as well."""
