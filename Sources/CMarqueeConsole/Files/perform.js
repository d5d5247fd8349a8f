// Intents that users perform by the buttons and switches of cards: progress, prompts and outcome.
import { stream, unary } from "./connect.js";
import { h, replace, visible } from "./dom.js";
import { token } from "./session.js";
import { t } from "./text.js";

const heartbeatMs = 15_000;
const outcomeMs = 5000;

/** Performs one intent at a time, and shows its outcome. */
export class Performer {
  constructor(device) {
    this.device = device;
    this.note = h("p", { class: "run", role: "status", hidden: true });
    this.dialog = h("dialog", { class: "prompt", oncancel: () => this.reply?.(false) });
  }

  show(text, ms) {
    clearTimeout(this.timer);
    this.note.textContent = visible(text);
    this.note.hidden = !text;
    if (ms) this.timer = setTimeout(() => (this.note.hidden = true), ms);
  }

  /** Has the app of a widget perform an intent, and returns whether it did; `signal` ends with the connection. */
  async run(widget, intent, signal) {
    if (this.isRunning) return false;
    this.isRunning = true;
    this.show(t("perform.running"));
    const { device } = this;
    const { app } = widget.kind;
    let [run, outcome] = [];
    try {
      const request = { device, app, run: { intent, widget }, heartbeatMs };
      await stream("marquee.v1.Display/RunIntent", request, token(), signal, (update) => {
        run = update.run ?? run;
        outcome = update.outcome ?? outcome;
        if (update.progress) this.showProgress(update.progress);
        if (update.prompt) this.ask(update.prompt, (reply) => {
          const answer = { device, run, prompt: update.promptNumber, reply };
          unary("marquee.v1.Display/ReplyToPrompt", answer, token(), signal).catch(() => {});
        });
      });
      this.show(outcome?.dialog || outcome?.valueName || t("perform.done"), outcomeMs);
      return true;
    } catch (error) {
      this.show(t(error.code === "unavailable" ? "perform.noApp" : "perform.failed"), outcomeMs);
      return false;
    } finally {
      this.isRunning = false;
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
    this.reply = (isAgreed) => {
      this.reply = undefined;
      this.dialog.close();
      reply(isAgreed);
    };
    const key = purpose === "PROMPT_PURPOSE_FOREGROUND" ? "perform.openApp" : "perform.confirm";
    const choice = (text, isAgreed) => h("button", { onclick: () => this.reply?.(isAgreed) }, t(text));
    replace(this.dialog, h("p", {}, visible(dialog || t(key))),
      h("div", { class: "controls" }, choice("perform.agree", true), choice("perform.decline", false)));
    if (!this.dialog.open) this.dialog.showModal();
  }
}
