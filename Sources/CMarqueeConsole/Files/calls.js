// The calls of the console, all of which only read.
import { unary } from "./connect.js";
import { token } from "./session.js";

/** Makes a call of the operators' service. */
export function admin(method, request, signal) {
  return unary(`marquee.v1.Admin/${method}`, request, token(), signal);
}

/** Returns devices: a page of them, ordered by identifier. */
export function listDevices(after, signal) {
  return admin("ListDevices", { after: after ?? "", countMax: 1000 }, signal);
}

export function health(signal) {
  return unary("grpc.health.v1.Health/List", {}, token(), signal);
}

/** Returns the device's time and zone. */
export function deviceTime(device, signal) {
  return unary("marquee.v1.Display/GetDeviceTime", { device }, token(), signal);
}
