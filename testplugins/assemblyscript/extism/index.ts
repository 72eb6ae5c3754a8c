// A connector in AssemblyScript through Extism, over its plug-in development
// kit: the same three records, cursor and DONE as the raw one. The option
// "tries" makes it reach for what Extism offers and this host does not.

import { Config, Host, LogLevel, Memory, Var } from "@extism/as-pdk";
import { http_request } from "@extism/as-pdk/lib/env";

@external("extism:host/user", "pdpp_manifest")
declare function hostManifest(block: u64): i64;
@external("extism:host/user", "pdpp_emit")
declare function hostEmit(block: u64): i64;
@external("extism:host/user", "pdpp_state")
declare function hostState(block: u64): i64;
@external("extism:host/user", "pdpp_done")
declare function hostDone(block: u64): i64;
@external("extism:host/user", "pdpp_submit")
declare function hostSubmit(block: u64): i64;
@external("extism:host/user", "pdpp_wait")
declare function hostWait(timeout: i64): i64;
@external("extism:host/user", "pdpp_read")
declare function hostRead(handle: i64): i64;
@external("extism:host/env", "length")
declare function blockLength(block: u64): u64;

const OP_START: u8 = 1;

const MANIFEST = `{
  "connector_id": "https://pdpp-host.example/connectors/assemblyscript_extism",
  "connector_key": "assemblyscript_extism",
  "version": "0.1.0",
  "protocol_version": "0.1.0",
  "display_name": "AssemblyScript through Extism",
  "runtime_requirements": {"bindings": {}},
  "capabilities": {"refresh_policy": {"recommended_mode": "manual", "rationale": "A test guest runs when a test runs it."}},
  "streams": [{
    "name": "greetings", "description": "Three greetings.", "primary_key": ["id"], "semantics": "append_only", "incremental": true,
    "coverage_strategy": "checkpoint_window", "freshness_strategy": "scheduled_window", "selection": {"fields": true, "resources": false},
    "schema": {"type": "object", "required": ["id", "text"], "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}
  }]
}`;

// Without a run-time to report to, an abort is a trap.
function abort(message: string | null, file: string | null, line: u32, column: u32): void {
  unreachable();
}

export function pdpp_abi_version(): i32 {
  return 1;
}

export function pdpp_describe(): i32 {
  const block = Memory.allocateString(MANIFEST);
  const refused = hostManifest(block.offset) < 0;
  block.free();
  return refused ? 1 : 0;
}

function start(): string {
  const request = new Uint8Array(1);
  request[0] = OP_START;
  const block = Memory.allocateBytes(request);
  const handle = hostSubmit(block.offset);
  block.free();
  if (handle <= 0) unreachable();
  if (hostWait(-1) >> 32 != handle) unreachable();
  let answer = "";
  let offset = hostRead(handle);
  while (offset > 0) {
    const part = new Memory(offset, blockLength(offset));
    answer += part.toString();
    part.free();
    offset = hostRead(handle);
  }
  if (offset < 0) unreachable();
  return answer;
}

function send(call: (block: u64) => i64, text: string): void {
  const block = Memory.allocateString(text);
  if (call(block.offset) < 0) unreachable();
  block.free();
}

// What Extism offers and this host does not: a request ends the guest, the
// configuration is empty, and variables do not outlive the instance.
function attempt(what: string): void {
  if (what.includes('"tries":"http_request"')) {
    const request = Memory.allocateString('{"method":"GET","url":"http://127.0.0.1:9/?from=guest"}');
    http_request(request.offset, 0);
  }
  if (what.includes('"tries":"config"') && Config.get("secret") !== null) unreachable();
  if (what.includes('"tries":"variables"')) {
    if (Var.get("kept") !== null) unreachable();
    Var.set("kept", Uint8Array.wrap(String.UTF8.encode("across runs")));
    if (Var.get("kept") === null) unreachable();
  }
  if (what.includes('"tries":"variable_flood"')) {
    const value = new Uint8Array(8 << 10);
    for (let i = 0; i < 1 << 20; i++) Var.set("kept" + i.toString(), value);
  }
}

export function pdpp_collect(): i32 {
  const said = start();
  attempt(said);
  // A second run has a cursor, and nothing new to say.
  const again = said.includes('"state":{"greetings"');
  if (!again) {
    let lines = "";
    const texts = ["good morning", "boa tarde", "おやすみなさい"];
    for (let i = 0; i < texts.length; i++) {
      const id = (i + 1).toString();
      lines += '{"type":"RECORD","stream":"greetings","key":"' + id + '","data":{"id":"' + id + '","text":"' + texts[i] +
        '"},"emitted_at":"2026-01-01T00:00:00Z"}\n';
    }
    send((block: u64): i64 => hostEmit(block), lines);
    send((block: u64): i64 => hostState(block), '{"type":"STATE","stream":"greetings","cursor":{"last":"3"}}');
    Host.log(LogLevel.Info, "three greetings");
  }
  const count = again ? "0" : "3";
  send((block: u64): i64 => hostDone(block), '{"type":"DONE","status":"succeeded","records_emitted":' + count + "}");
  return 0;
}
