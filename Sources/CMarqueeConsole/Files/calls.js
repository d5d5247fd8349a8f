// The calls of the console, all of which only read.
import { unary } from "./connect.js";
import { token } from "./session.js";

/** Makes a call of the operators' service. */
export function admin(method, request, signal) {
  return unary(`marquee.v1.Admin/${method}`, request, token(), signal);
}

/** Makes a call, and again while the server is busy with others of its kind. */
export async function patient(method, request, signal) {
  for (let wait = 100; ; wait *= 2) {
    try {
      return await admin(method, request, signal);
    } catch (error) {
      if (wait > 2000 || !/(simulation|past-read)-count-max/.test(error.message)) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
      signal.throwIfAborted();
    }
  }
}

/** Returns devices: a page of them, ordered by identifier. */
export function listDevices(after, signal, countMax = 1000) {
  return admin("ListDevices", { after: after ?? "", countMax }, signal);
}

export function health(signal) {
  return unary("grpc.health.v1.Health/List", {}, token(), signal);
}

/** Returns the device's time and zone. */
export function deviceTime(device, signal) {
  return unary("marquee.v1.Display/GetDeviceTime", { device }, token(), signal);
}

/** Returns the suggestions for a surface, such as lock-screen. */
export function suggestions(device, surface, signal) {
  const request = { device, surface: `SUGGESTION_SURFACE_${surface.toUpperCase().replaceAll("-", "_")}` };
  return unary("marquee.v1.Display/ListSuggestions", request, token(), signal);
}
