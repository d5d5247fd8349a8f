// Calls in the Connect protocol: JSON in requests and responses, and JSON in envelopes in streams.

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const messageSizeMax = 16 * 1024 * 1024;

/** The failure of a call. The code is one of Connect, or `lost` if there was no response. */
export class CallError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

function post(method, type, body, token, signal, keepalive) {
  const headers = { "content-type": type, "connect-protocol-version": "1" };
  if (token) headers.authorization = `Bearer ${token}`;
  return fetch(`/${method}`, {
    method: "POST",
    headers,
    body,
    signal,
    keepalive,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
    referrerPolicy: "no-referrer",
  });
}

/** Runs `body`, whose failures other than those of calls are a lost connection. */
async function reaching(signal, body) {
  try {
    return await body();
  } catch (error) {
    if (error instanceof CallError || signal?.aborted) throw error;
    throw new CallError("lost", error.message);
  }
}

async function failure(response) {
  let error = {};
  try {
    error = await response.json();
  } catch {
    // A proxy's page, or an empty response: the status has to do.
  }
  const codes = { 401: "unauthenticated", 403: "permission_denied", 404: "not_found", 429: "resource_exhausted" };
  const code = error.code ?? codes[response.status] ?? (response.status >= 500 ? "lost" : "unknown");
  return new CallError(code, error.message ?? `HTTP ${response.status}`);
}

/** Makes a unary call, and returns its response. With `keepalive`, a page that closes still makes it. */
export function unary(method, request, token, signal, keepalive = false) {
  return reaching(signal, async () => {
    const response = await post(method, "application/json", JSON.stringify(request), token, signal, keepalive);
    if (!response.ok) throw await failure(response);
    return await response.json();
  });
}

function envelope(message) {
  const bytes = encoder.encode(JSON.stringify(message));
  const body = new Uint8Array(5 + bytes.length);
  new DataView(body.buffer).setUint32(1, bytes.length);
  body.set(bytes, 5);
  return body;
}

/** Collects the chunks of a stream, and takes whole messages off them. */
class Deframer {
  constructor() {
    this.chunks = [];
    this.size = 0;
  }

  append(chunk) {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /** Returns the next message and its flag; undefined until it is complete. */
  next() {
    if (this.size < 5) return undefined;
    const prefix = this.peek(5);
    const length = new DataView(prefix.buffer, prefix.byteOffset).getUint32(1);
    if (length > messageSizeMax) throw new CallError("lost", `message of ${length} bytes`);
    if (this.size < 5 + length) return undefined;
    const bytes = this.peek(5 + length);
    const rest = this.chunks[0].subarray(5 + length);
    this.chunks[0] = rest;
    this.size -= 5 + length;
    return { flag: prefix[0], message: JSON.parse(decoder.decode(bytes.subarray(5))) };
  }

  /** Returns the first bytes in one piece. */
  peek(count) {
    if (this.chunks[0].length < count) {
      const whole = new Uint8Array(this.size);
      let offset = 0;
      for (const chunk of this.chunks) {
        whole.set(chunk, offset);
        offset += chunk.length;
      }
      this.chunks = [whole];
    }
    return this.chunks[0].subarray(0, count);
  }
}

/** Makes a streaming call; returns when the server ends it, and throws its error. `receive` gets each message. */
export function stream(method, request, token, signal, receive) {
  return reaching(signal, async () => {
    const response = await post(method, "application/connect+json", envelope(request), token, signal);
    if (!response.ok) throw await failure(response);
    const reader = response.body.getReader();
    const deframer = new Deframer();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new CallError("lost", "the stream broke off");
      deframer.append(value);
      for (let part = deframer.next(); part; part = deframer.next()) {
        if (part.flag & 2) {
          const error = part.message.error;
          if (error) throw new CallError(error.code ?? "unknown", error.message ?? "");
          return;
        }
        receive(part.message);
      }
    }
  });
}
