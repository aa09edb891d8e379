/*
  provided-by: sparring
  Asks `sparring gate run` when OpenCode has nothing left to do; `sparring gate uninstall opencode` takes it out.
*/
import { spawn } from "node:child_process"

const PROGRAM = "SPARRING"
const MOST = 1024 * 1024

function asked(input, cwd) {
  return new Promise((resolve) => {
    const told = (text) => resolve({ systemMessage: `sparring: nothing was reviewed: ${text}` })
    const child = spawn(PROGRAM, ["gate", "run", "opencode", "stop"], { cwd })
    let out = ""
    let err = ""
    child.stdout.on("data", (data) => (out = (out + data).slice(0, MOST)))
    child.stderr.on("data", (data) => (err = (err + data).slice(-500)))
    child.on("error", (error) => told(error.message))
    child.on("close", () => {
      try {
        resolve(JSON.parse(out))
      } catch {
        told(err.trim() || "the gate gave no answer.")
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
  })
}

export const SparringGate = async ({ client, directory }) => {
  const asking = new Set()
  const heldBack = new Set()

  async function answer(id) {
    const session = await client.session.get({ path: { id } })
    if (session.data?.parentID) return // a sub-agent: its parent is asked
    const said = await asked({ session_id: id, stop_hook_active: heldBack.has(id) }, directory)
    asking.delete(id)
    if (said.decision === "block") {
      heldBack.add(id)
      await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: said.reason }] } })
      return
    }
    heldBack.delete(id)
    if (!said.systemMessage) return
    const part = { type: "text", text: said.systemMessage, ignored: true } // shown, and not sent to a model
    await client.session.prompt({ path: { id }, body: { noReply: true, parts: [part] } })
    await client.tui.showToast({ body: { message: said.systemMessage.slice(0, 300), variant: "info" } })
  }

  return {
    event: async ({ event }) => {
      if (event.type !== "session.idle" || asking.has(event.properties.sessionID)) return
      asking.add(event.properties.sessionID)
      try {
        await answer(event.properties.sessionID)
      } finally {
        asking.delete(event.properties.sessionID)
      }
    },
  }
}
