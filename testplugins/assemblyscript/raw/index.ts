// A connector in AssemblyScript over the bare ABI: three records, a cursor, DONE.

@external("pdpp", "manifest")
declare function hostManifest(ptr: usize, len: i32): i32;
@external("pdpp", "emit")
declare function hostEmit(ptr: usize, len: i32): i32;
@external("pdpp", "state")
declare function hostState(ptr: usize, len: i32): i32;
@external("pdpp", "done")
declare function hostDone(ptr: usize, len: i32): i32;
@external("pdpp", "submit")
declare function hostSubmit(op: i32, ptr: usize, len: i32): i32;
@external("pdpp", "wait")
declare function hostWait(timeout: i32): i64;
@external("pdpp", "read")
declare function hostRead(handle: i32, dst: usize, cap: i32): i32;

const OP_START: i32 = 1;

const MANIFEST = `{
  "connector_id": "https://pdpp-host.example/connectors/assemblyscript_raw",
  "connector_key": "assemblyscript_raw",
  "version": "0.1.0",
  "protocol_version": "0.1.0",
  "display_name": "AssemblyScript over the bare ABI",
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
  const bytes = String.UTF8.encode(MANIFEST);
  return hostManifest(changetype<usize>(bytes), bytes.byteLength) < 0 ? 1 : 0;
}

function start(): string {
  const handle = hostSubmit(OP_START, 0, 0);
  if (handle <= 0) unreachable();
  const done = hostWait(-1);
  if (<i32>(done >> 32) != handle) unreachable();
  const length = <i32>(done & 0xffffffff);
  const answer = new ArrayBuffer(length);
  let at = 0;
  while (at < length) {
    const n = hostRead(handle, changetype<usize>(answer) + at, length - at);
    if (n <= 0) unreachable();
    at += n;
  }
  return String.UTF8.decode(answer);
}

function send(call: (ptr: usize, len: i32) => i32, text: string): void {
  const bytes = String.UTF8.encode(text);
  if (call(changetype<usize>(bytes), bytes.byteLength) < 0) unreachable();
}

export function pdpp_collect(): i32 {
  // A second run has a cursor, and nothing new to say.
  const again = start().includes('"state":{"greetings"');
  if (!again) {
    let lines = "";
    const texts = ["good morning", "boa tarde", "おやすみなさい"];
    for (let i = 0; i < texts.length; i++) {
      const id = (i + 1).toString();
      lines += '{"type":"RECORD","stream":"greetings","key":"' + id + '","data":{"id":"' + id + '","text":"' + texts[i] +
        '"},"emitted_at":"2026-01-01T00:00:00Z"}\n';
    }
    send((ptr: usize, len: i32): i32 => hostEmit(ptr, len), lines);
    send((ptr: usize, len: i32): i32 => hostState(ptr, len), '{"type":"STATE","stream":"greetings","cursor":{"last":"3"}}');
  }
  const count = again ? "0" : "3";
  send((ptr: usize, len: i32): i32 => hostDone(ptr, len), '{"type":"DONE","status":"succeeded","records_emitted":' + count + "}");
  return 0;
}
