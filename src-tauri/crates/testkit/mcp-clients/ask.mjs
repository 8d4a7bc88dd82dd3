// Asks the desk through the official TypeScript SDK, and says on standard output what comes of it, a line of JSON each.
//
// usage: node ask.mjs CONFIG SDK MODE CALL
//   CONFIG  a file with `mcpServers`, as `askdesk connect` writes it
//   SDK     v1 (@modelcontextprotocol/sdk) or v2 (@modelcontextprotocol/client)
//   MODE    legacy or modern: which protocol v2 speaks; v1 knows the first alone
//   CALL    the arguments of ask_user_question
// A line `cancel` on standard input cancels the call; the next line makes it once more.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [config, sdk, mode, call] = process.argv.slice(2);
const { url, headers } = JSON.parse(readFileSync(config, "utf8")).mcpServers.askdesk;
const { Client, StreamableHTTPClientTransport } =
  sdk === "v2"
    ? await import("@modelcontextprotocol/client")
    : {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
      };

const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const negotiation = { versionNegotiation: { mode: mode === "modern" ? { pin: "2026-07-28" } : "legacy" } };
const client = new Client({ name: `typescript-${sdk}`, version: "1.0.0" }, sdk === "v2" ? negotiation : {});
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
say({ tools: tools.map((tool) => tool.name), server: client.getServerVersion()?.name ?? null });

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const cancel = new AbortController();
const heard = lines.next().then(({ value }) => value === "cancel" && cancel.abort("the user said so"));

async function ask(signal) {
  const options = {
    signal,
    timeout: 20_000,
    resetTimeoutOnProgress: true,
    onprogress: ({ progress, message }) => say({ progress, message }),
  };
  const params = { name: "ask_user_question", arguments: JSON.parse(call) };
  return sdk === "v2" ? client.callTool(params, options) : client.callTool(params, undefined, options);
}

let result;
try {
  result = await ask(cancel.signal);
} catch (error) {
  if (!cancel.signal.aborted) throw error;
  say({ cancelled: true });
  await heard;
  await lines.next();
  result = await ask();
}
say({ result });
await client.close();
process.exit(0);
