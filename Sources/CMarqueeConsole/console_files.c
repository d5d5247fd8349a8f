// Embeds the files of the console. Each has an array of its bytes, and an entry in the list.
#include "marquee_console.h"

// #embed is C23; the compiler has it in earlier versions of C too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char app_js[] = {
#embed "Files/app.js"
};
static const unsigned char calls_js[] = {
#embed "Files/calls.js"
};
static const unsigned char card_css[] = {
#embed "Files/card.css"
};
static const unsigned char card_js[] = {
#embed "Files/card.js"
};
static const unsigned char carousel_js[] = {
#embed "Files/carousel.js"
};
static const unsigned char chart_js[] = {
#embed "Files/chart.js"
};
static const unsigned char connect_js[] = {
#embed "Files/connect.js"
};
static const unsigned char content_js[] = {
#embed "Files/content.js"
};
static const unsigned char day_js[] = {
#embed "Files/day.js"
};
static const unsigned char de_js[] = {
#embed "Files/de.js"
};
static const unsigned char decisions_js[] = {
#embed "Files/decisions.js"
};
static const unsigned char dom_js[] = {
#embed "Files/dom.js"
};
static const unsigned char en_js[] = {
#embed "Files/en.js"
};
static const unsigned char engine_css[] = {
#embed "Files/engine.css"
};
static const unsigned char format_js[] = {
#embed "Files/format.js"
};
static const unsigned char frame_html[] = {
#embed "Files/frame.html"
};
static const unsigned char gallery_js[] = {
#embed "Files/gallery.js"
};
static const unsigned char habits_js[] = {
#embed "Files/habits.js"
};
static const unsigned char icon_svg[] = {
#embed "Files/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Files/index.html"
};
static const unsigned char kiosk_css[] = {
#embed "Files/kiosk.css"
};
static const unsigned char kiosk_html[] = {
#embed "Files/kiosk.html"
};
static const unsigned char kiosk_js[] = {
#embed "Files/kiosk.js"
};
static const unsigned char kioskde_js[] = {
#embed "Files/kioskde.js"
};
static const unsigned char kiosken_js[] = {
#embed "Files/kiosken.js"
};
static const unsigned char kioskstack_js[] = {
#embed "Files/kioskstack.js"
};
static const unsigned char layout_css[] = {
#embed "Files/layout.css"
};
static const unsigned char limitsde_js[] = {
#embed "Files/limitsde.js"
};
static const unsigned char lintde_js[] = {
#embed "Files/lintde.js"
};
static const unsigned char location_js[] = {
#embed "Files/location.js"
};
static const unsigned char login_js[] = {
#embed "Files/login.js"
};
static const unsigned char markdown_js[] = {
#embed "Files/markdown.js"
};
static const unsigned char missing_html[] = {
#embed "Files/missing.html"
};
static const unsigned char overview_js[] = {
#embed "Files/overview.js"
};
static const unsigned char parts_css[] = {
#embed "Files/parts.css"
};
static const unsigned char parts_js[] = {
#embed "Files/parts.js"
};
static const unsigned char perform_js[] = {
#embed "Files/perform.js"
};
static const unsigned char problems_js[] = {
#embed "Files/problems.js"
};
static const unsigned char screen_js[] = {
#embed "Files/screen.js"
};
static const unsigned char sentence_js[] = {
#embed "Files/sentence.js"
};
static const unsigned char sentencesde_js[] = {
#embed "Files/sentencesde.js"
};
static const unsigned char server_js[] = {
#embed "Files/server.js"
};
static const unsigned char session_js[] = {
#embed "Files/session.js"
};
static const unsigned char stack_js[] = {
#embed "Files/stack.js"
};
static const unsigned char text_js[] = {
#embed "Files/text.js"
};
static const unsigned char tokens_css[] = {
#embed "Files/tokens.css"
};
static const unsigned char try_js[] = {
#embed "Files/try.js"
};
static const unsigned char view_js[] = {
#embed "Files/view.js"
};
static const unsigned char watch_js[] = {
#embed "Files/watch.js"
};
static const unsigned char why_js[] = {
#embed "Files/why.js"
};
static const unsigned char widget_js[] = {
#embed "Files/widget.js"
};
static const unsigned char widgets_js[] = {
#embed "Files/widgets.js"
};

#define FILE_ENTRY(name, bytes) {name, bytes, sizeof bytes}

static const struct marquee_console_file files[] = {
    FILE_ENTRY("app.js", app_js),
    FILE_ENTRY("calls.js", calls_js),
    FILE_ENTRY("card.css", card_css),
    FILE_ENTRY("card.js", card_js),
    FILE_ENTRY("carousel.js", carousel_js),
    FILE_ENTRY("chart.js", chart_js),
    FILE_ENTRY("connect.js", connect_js),
    FILE_ENTRY("content.js", content_js),
    FILE_ENTRY("day.js", day_js),
    FILE_ENTRY("de.js", de_js),
    FILE_ENTRY("decisions.js", decisions_js),
    FILE_ENTRY("dom.js", dom_js),
    FILE_ENTRY("en.js", en_js),
    FILE_ENTRY("engine.css", engine_css),
    FILE_ENTRY("format.js", format_js),
    FILE_ENTRY("frame.html", frame_html),
    FILE_ENTRY("gallery.js", gallery_js),
    FILE_ENTRY("habits.js", habits_js),
    FILE_ENTRY("icon.svg", icon_svg),
    FILE_ENTRY("index.html", index_html),
    FILE_ENTRY("kiosk.css", kiosk_css),
    FILE_ENTRY("kiosk.html", kiosk_html),
    FILE_ENTRY("kiosk.js", kiosk_js),
    FILE_ENTRY("kioskde.js", kioskde_js),
    FILE_ENTRY("kiosken.js", kiosken_js),
    FILE_ENTRY("kioskstack.js", kioskstack_js),
    FILE_ENTRY("layout.css", layout_css),
    FILE_ENTRY("limitsde.js", limitsde_js),
    FILE_ENTRY("lintde.js", lintde_js),
    FILE_ENTRY("location.js", location_js),
    FILE_ENTRY("login.js", login_js),
    FILE_ENTRY("markdown.js", markdown_js),
    FILE_ENTRY("missing.html", missing_html),
    FILE_ENTRY("overview.js", overview_js),
    FILE_ENTRY("parts.css", parts_css),
    FILE_ENTRY("parts.js", parts_js),
    FILE_ENTRY("perform.js", perform_js),
    FILE_ENTRY("problems.js", problems_js),
    FILE_ENTRY("screen.js", screen_js),
    FILE_ENTRY("sentence.js", sentence_js),
    FILE_ENTRY("sentencesde.js", sentencesde_js),
    FILE_ENTRY("server.js", server_js),
    FILE_ENTRY("session.js", session_js),
    FILE_ENTRY("stack.js", stack_js),
    FILE_ENTRY("text.js", text_js),
    FILE_ENTRY("tokens.css", tokens_css),
    FILE_ENTRY("try.js", try_js),
    FILE_ENTRY("view.js", view_js),
    FILE_ENTRY("watch.js", watch_js),
    FILE_ENTRY("why.js", why_js),
    FILE_ENTRY("widget.js", widget_js),
    FILE_ENTRY("widgets.js", widgets_js),
};

const struct marquee_console_file *marquee_console_files(size_t *count) {
  *count = sizeof files / sizeof files[0];
  return files;
}
