// The screen of a display that is always on: awake, dark at night, and without burn-in.
const tickMs = 20_000;
const ticksPerShift = 9;
const shifts = ["0px", "2px 1px", "1px -2px", "-2px -1px", "-1px 2px"];
export const reducesMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether a minute of the day is in the night, whose hours are a text such as 22-6. */
export function isNight(text, minute) {
  const [start, end] = /^(\d+)-(\d+)$/.exec(text)?.slice(1).map((hour) => hour * 60) ?? [0, 0];
  return start <= end ? minute >= start && minute < end : minute >= start || minute < end;
}

let lock;

export async function keepAwake() {
  if (document.hidden || lock?.released === false) return;
  try {
    lock = await navigator.wakeLock?.request("screen");
  } catch {
    // Not allowed, such as at a low battery; the next tick tries again.
  }
}

/** Keeps the screen; `ticked` follows now and then. */
export function keepScreen(element, ticked, count = 0) {
  element.style.translate = shifts[reducesMotion.matches ? 0 : Math.floor(count / ticksPerShift) % shifts.length];
  keepAwake();
  ticked();
  setTimeout(keepScreen, tickMs, element, ticked, count + 1);
}
