// The strings of the kiosk only, in German.
export default {
  "kiosk.allow": "Rotation dorthin erlauben",
  "kiosk.dismiss": "Verwerfen",
  "kiosk.keep": "Behalten",
  "kiosk.link":
    "Führen Sie auf dem Server diesen Befehl aus, und öffnen Sie hier den Link, oder geben Sie dessen Token ein:",
  "kiosk.lost": "Keine Verbindung.",
  "kiosk.menu": "Menü von {stack}",
  "kiosk.never": "Nie dorthin rotieren",
  "kiosk.noDevice.text":
    "Vielleicht wurde es entfernt, oder die Adresse ist falsch geschrieben. Dieser Befehl fügt es hinzu:",
  "kiosk.noDevice.title": "Dieses Gerät gibt es nicht",
  "kiosk.noFamily.text": "Ändern Sie family in der Adresse. Es gibt: {families}.",
  "kiosk.noFamily.title": "Kein Stapel hat diese Familie",
  "kiosk.noStack.text":
    "Vielleicht wurde er entfernt, oder stack in der Adresse ist falsch geschrieben. Dieser Befehl nennt alle Stapel:",
  "kiosk.noStack.title": "Das Gerät hat diesen Stapel nicht",
  "kiosk.none": "Dieses Display hat noch keinen Zugang",
  "kiosk.pin": "Vorne anheften",
  "kiosk.position": "{name}, {number} von {count}",
  "kiosk.snooze": "Einen Tag lang nicht",
  "kiosk.unauthenticated": "Die Sitzung ist abgelaufen oder wurde widerrufen",
  "kiosk.unpin": "Lösen",
  "perform.agree": "Fortfahren",
  "perform.confirm": "Möchten Sie fortfahren?",
  "perform.decline": "Abbrechen",
  "perform.done": "Erledigt",
  "perform.failed": "Das hat nicht geklappt.",
  "perform.noApp": "Die App ist nicht verbunden.",
  "perform.openApp": "In der App fortfahren?",
  "perform.running": "Einen Moment …",
};
