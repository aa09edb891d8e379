// An OpenAI-compatible server around a small real model, with the endpoints and error bodies of llama-server.
//
// One slot: requests are answered one after the other, at temperature 0, so that equal requests have equal answers.
// Usage: node server.mjs MODEL.gguf [LOG.jsonl]. The port is printed as a line of JSON; CONTEXT, MAX_TOKENS and THREADS
// are read from the environment. LOG gets one line per request: prompt, schema, answer, tokens, milliseconds.
import {appendFileSync} from "node:fs";
import {createServer} from "node:http";
import {basename} from "node:path";
import {LlamaChat, getLlama} from "node-llama-cpp";

const [modelPath, logPath] = process.argv.slice(2);
const contextSize = Number(process.env.CONTEXT ?? 8192);
const mostTokens = Number(process.env.MAX_TOKENS ?? 256);
const threads = Number(process.env.THREADS ?? 2);
const id = basename(modelPath).replace(/\.gguf$/, "");

const llama = await getLlama({gpu: false, build: "never", skipDownload: true, maxThreads: threads, logLevel: "error"});
const model = await llama.loadModel({modelPath});
const context = await model.createContext({contextSize, sequences: 1, threads});
const chat = new LlamaChat({contextSequence: context.getSequence(), autoDisposeSequence: false});

let last = Promise.resolve();
const inTurn = (work) => (last = last.then(work, work));

class Refusal extends Error {
    constructor(code, type, message, more = {}) {
        super(message);
        this.body = {error: {code, message, type, ...more}};
    }
}

function historyOf(messages) {
    const text = ({content}) => typeof content === "string" ? content : content.map((part) => part.text).join("");
    const kinds = {system: "system", developer: "system", user: "user"};
    return messages.map((message) => message.role === "assistant"
        ? {type: "model", response: [text(message)]}
        : {type: kinds[message.role] ?? "user", text: text(message)});
}

function promptTokens(history) {
    const {contextText} = chat.chatWrapper.generateContextState({chatHistory: [...history, {type: "model", response: []}]});
    return contextText.tokenize(model.tokenizer).length;
}

async function grammarOf(body) {
    const asked = body.response_format;
    if (asked === undefined || asked.type === "text") return undefined;
    if (asked.type !== "json_object" && asked.type !== "json_schema")
        throw new Refusal(400, "invalid_request_error",
            `response_format type must be one of "text" or "json_object", but got: ${asked.type}`);
    const schema = asked.json_schema?.schema ?? asked.schema;
    try {
        return schema ? await llama.createGrammarForJsonSchema(schema) : await llama.getGrammarFor("json");
    } catch (error) {
        throw new Refusal(400, "invalid_request_error", `"json_schema": ${error.message}`);
    }
}

async function answer(body, signal, say) {
    const history = historyOf(body.messages);
    const read = promptTokens(history);
    if (read >= contextSize)
        throw new Refusal(400, "exceed_context_size_error",
            `request (${read} tokens) exceeds the available context size (${contextSize} tokens), try increasing it`,
            {n_prompt_tokens: read, n_ctx: contextSize});
    const maxTokens = Math.min(body.max_completion_tokens ?? body.max_tokens ?? mostTokens, contextSize - read);
    const grammar = await grammarOf(body);
    const began = Date.now();
    const {response, metadata} = await chat.generateResponse([...history, {type: "model", response: []}], {
        temperature: 0, maxTokens, grammar, signal, stopOnAbortSignal: true, onTextChunk: say,
    });
    const written = model.tokenize(response).length;
    const stop = metadata.stopReason === "maxTokens" ? "length" : "stop";
    if (logPath)
        appendFileSync(logPath, JSON.stringify({
            messages: body.messages, schema: body.response_format?.json_schema?.name ?? null, response, stop,
            prompt_tokens: read, completion_tokens: written, ms: Date.now() - began,
        }) + "\n");
    return {response, stop, usage: {prompt_tokens: read, completion_tokens: written, total_tokens: read + written}};
}

async function complete(request, response) {
    let text = "";
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const created = Math.floor(Date.now() / 1000);
    const frame = (object, choices, more = {}) => ({id: "chatcmpl-real", object, created, model: id, choices, ...more});
    const chunk = (delta, finish_reason = null) => frame("chat.completion.chunk", [{index: 0, delta, finish_reason}]);
    const send = (data) => {
        if (!response.headersSent) response.writeHead(200, {"content-type": "text/event-stream"});
        response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
    };
    await inTurn(async () => {
        if (gone.signal.aborted) return;
        const done = await answer(body, gone.signal, body.stream ? (content) => send(chunk({content})) : undefined);
        if (body.stream) {
            send(chunk({}, done.stop));
            if (body.stream_options?.include_usage) send(frame("chat.completion.chunk", [], {usage: done.usage}));
            send("[DONE]");
            response.end();
        } else {
            const message = {role: "assistant", content: done.response};
            reply(response, 200, frame("chat.completion", [{index: 0, message, finish_reason: done.stop}], {usage: done.usage}));
        }
    });
}

function reply(response, status, body) {
    response.writeHead(status, {"content-type": "application/json"}).end(JSON.stringify(body));
}

const facts = {
    "/health": {status: "ok"},
    "/props": {default_generation_settings: {n_ctx: contextSize}, total_slots: 1, model_path: modelPath},
    "/v1/models": {object: "list", data: [{id, object: "model", owned_by: "llamacpp", meta: {n_ctx_train: model.trainContextSize}}]},
};

createServer((request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    if (path in facts) return reply(response, 200, facts[path]);
    if (path !== "/v1/chat/completions" || request.method !== "POST")
        return reply(response, 404, {error: {code: 404, message: "File Not Found", type: "not_found_error"}});
    complete(request, response).catch((error) => {
        if (response.headersSent || gone(response)) return response.end();
        const refused = error instanceof Refusal ? error.body
            : {error: {code: 500, message: String(error.message), type: "server_error"}};
        reply(response, refused.error.code, refused);
    });
}).listen(Number(process.env.PORT ?? 0), "127.0.0.1", function () {
    console.log(JSON.stringify({port: this.address().port, model: id, context: contextSize}));
});

function gone(response) {
    return response.destroyed || response.writableEnded;
}

if (process.env.UNTIL_STDIN_ENDS) process.stdin.on("end", () => process.exit(0)).resume();
