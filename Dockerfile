# sparring with providers over HTTP alone: no command line of another tool is inside. From a project:
#   docker build -t sparring CHECKOUT
#   docker run --rm -i -e OPENAI_API_KEY -v "$PWD:/project" sparring debate "Should charge() retry?" --proposer openai
FROM python:3.13-slim
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN sed '/--hash/d; s/ \\$//; s/\[.*\]//' /source/requirements/dev.txt > /tmp/locked.txt \
    && pip install --no-cache-dir --constraint /tmp/locked.txt "/source[pdf]" && rm -rf /source /tmp/locked.txt
RUN useradd --create-home sparring && mkdir /project && chown sparring /project
USER sparring
WORKDIR /project
ENTRYPOINT ["sparring"]
CMD ["serve"]
