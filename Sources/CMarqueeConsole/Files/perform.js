// Intents that users perform by the buttons and switches of cards: progress, prompts and outcome.
import { CallError, stream, unary } from "./connect.js";
import { h, replace, visible } from "./dom.js";
import { token } from "./session.js";
import { hasText, language, t } from "./text.js";

const heartbeatMs = 15_000;
const outcomeMs = 5000;
/** The time after which a prompt that nobody answers is declined: the next user must not confirm it. */
const promptMs = 60_000;
const messageLengthMax = 300;
/** The field of a request that a message of the server begins with. */
const field = /^[a-z][\w.[\]]*: /;

/**
 * Returns the reason of a failed call, in the language of the page. With `isOfApp`, the call asks an app, whose own
 * messages are in its language.
 */
function reasonOf(error, isOfApp) {
  const { code, message } = error;
  // A call also ends with its connection.
  if (!(error instanceof CallError) || code === "lost") return [t("problem.lost.title")];
  if (isOfApp && code === "unavailable") return [t("perform.noApp")];
  if (isOfApp && code === "deadline_exceeded") return [t("perform.noAnswer")];
  const text = visible(message).replace(field, "").slice(0, messageLengthMax);
  if (!text) return [t("perform.failed")];
  if (hasText(`say.${text}`)) return [t(`say.${text}`)];
  return isOfApp || language() === "en" ? [text] : [t("perform.failed"), " ", h("span", { lang: "en" }, text)];
}

/** Performs one intent at a time, and shows its outcome, and the reasons of failed calls. */
export class Performer {
  constructor(device) {
    this.device = device;
    this.note = h("p", { class: "run", role: "status", hidden: true });
    this.dialog = h("dialog", { class: "prompt", "aria-labelledby": "prompt",
      oncancel: () => this.reply?.(false) });
  }

  show(text, ms) {
    this.showAll([visible(text)], ms);
  }

  showAll(parts, ms) {
    clearTimeout(this.timer);
    this.note.replaceChildren(...parts);
    this.note.hidden = false;
    if (ms) this.timer = setTimeout(() => (this.note.hidden = true), ms);
  }

  /** Shows that an app has not answered yet. */
  showRunning() {
    this.show(t("perform.running"), outcomeMs);
  }

  /** Shows that an app does not open what the user has tapped. */
  showUnhandled() {
    this.show(t("perform.notHandled"), outcomeMs);
  }

  /** Shows why a call failed; with `isOfApp`, one that asks an app. */
  showFailure(error, isOfApp = false) {
    this.showAll(reasonOf(error, isOfApp), outcomeMs);
  }

  /** Has the app of a widget perform an intent, and returns whether it did; `signal` ends with the connection. */
  async run(widget, intent, signal) {
    if (this.isRunning) return false;
    this.isRunning = true;
    this.show(t("perform.running"));
    const { device } = this;
    const { app } = widget.kind;
    let [run, outcome, isDeclined] = [];
    try {
      const request = { device, app, run: { intent, widget }, heartbeatMs };
      await stream("marquee.v1.Display/RunIntent", request, token(), signal, (update) => {
        run = update.run ?? run;
        outcome = update.outcome ?? outcome;
        if (update.progress) this.showProgress(update.progress);
        if (update.prompt) this.ask(update.prompt, (reply) => {
          isDeclined = !reply;
          const answer = { device, run, prompt: update.promptNumber, reply };
          unary("marquee.v1.Display/ReplyToPrompt", answer, token(), signal).catch(() => {});
        });
      });
      this.show(outcome?.dialog || outcome?.valueName || t("perform.done"), outcomeMs);
      return true;
    } catch (error) {
      // An app that is not permitted to go on ends with this code.
      if (isDeclined && error.code === "aborted") this.show(t("perform.cancelled"), outcomeMs);
      else this.showFailure(error, true);
      return false;
    } finally {
      this.isRunning = false;
      clearTimeout(this.promptTimer);
      this.dialog.close();
    }
  }

  showProgress({ completedUnitCount, totalUnitCount, description }) {
    const total = Number(totalUnitCount ?? 0);
    const share = total > 0 ? ` ${Math.floor((100 * Number(completedUnitCount ?? 0)) / total)} %` : "";
    this.show(`${description || t("perform.running")}${share}`);
  }

  /** Shows a prompt; `reply` gets the user's answer, once. */
  ask({ dialog, purpose }, reply) {
    clearTimeout(this.promptTimer);
    this.promptTimer = setTimeout(() => this.reply?.(false), promptMs);
    this.reply = (isAgreed) => {
      this.reply = undefined;
      this.dialog.close();
      reply(isAgreed);
    };
    const key = purpose === "PROMPT_PURPOSE_FOREGROUND" ? "perform.openApp" : "perform.confirm";
    const choice = (text, isAgreed) => h("button", { onclick: () => this.reply?.(isAgreed) }, t(text));
    replace(this.dialog, h("p", { id: "prompt" }, visible(dialog || t(key))),
      h("div", { class: "controls" }, choice("perform.agree", true), choice("perform.decline", false)));
    if (!this.dialog.open) this.dialog.showModal();
  }
}
