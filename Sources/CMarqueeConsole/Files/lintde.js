// Templates of the findings about a text in German, named by their codes, and perhaps by a value that they need.
export default {
  "say.finding activity-not-eligible":
    "Spende {index} sagt nichts vorher{more}: die Aktivität {type} ist nicht für {lacking} zugelassen",
  "say.finding card entry": "die Karte von Eintrag {entry}",
  "say.finding card fallback": "die Karte des Ersatzinhalts",
  "say.finding card redacted": "die verdeckte Karte von Eintrag {entry}",
  "say.finding card-invalid": "{card} ist ungültig{more}",
  "say.finding card-invalid path": "{card} ist bei {path} ungültig{more}",
  "say.finding card-remote-image":
    "{card} hat bei {path} ein Bild, das sie nicht enthält{more}; Displays laden nichts, eine data:-URL hilft",
  "say.finding card-unknown-element":
    "{card} hat bei {path} einen unbekannten Typ ohne Ersatz{more}; er wird nicht gezeigt",
  "say.finding card-without-text":
    "{card} hat keinen Text{more}; ein Text, der altText eines Bildes oder fallbackText hilft",
  "say.finding combination-never-satisfied":
    "keine Spende von {type} setzt alle Parameter der Kombination {parameters}{more}: sie wird nie vorhergesagt",
  "say.finding date-and-routine":
    "{item} {index} nennt eine Widget-Art und hat Provider sowohl für Daten als auch für Routinen{more}: das Widget "
    + "wird nur nach Datum vorgeschlagen, da Routinen nur für das Zifferblatt zählen",
  "say.finding date-in-every-combination":
    "jede Kombination von {type} hat ein Datum, etwa {parameter}{more}: es ist jedes Mal ein anderes, so dass keine "
    + "Gewohnheit gefunden wird",
  "say.finding display-string-parameter":
    "der Text {string} von {item} {index} ist gleich dem Anzeigetext von {object}{more}: Anzeigetexte werden nie "
    + "verglichen, Texte schon, so dass ein anderer Wortlaut ein anderer Intent ist",
  "say.finding donation-long-past":
    "Spende {index} sagt nichts vorher{more}: ihr Datum liegt {age} zurück; Daten sind in Millisekunden, und "
    + "vielleicht wurden Sekunden gesendet",
  "say.finding empty-while-in-force":
    "es gibt keine Einträge, aber die geltende Bewertung {score} gilt unbegrenzt weiter: ein Eintrag mit der Bewertung "
    + "0 beendet sie",
  "say.finding empty-while-in-force rest":
    "es gibt keine Einträge, aber die geltende Bewertung {score} gilt noch {rest}: ein Eintrag mit der Bewertung 0 "
    + "beendet sie",
  "say.finding entries-long-past":
    "Eintrag {entry} liegt {age} vor seiner Veröffentlichung{more}; Daten sind in Millisekunden, und vielleicht wurden "
    + "Sekunden gesendet",
  "say.finding entries-same-date":
    "die Einträge {first} und {second} haben dasselbe Datum{more}; der zuletzt gesendete bleibt",
  "say.finding entries-too-close":
    "Eintrag {entry} folgt auf Eintrag {before} nach {distance}{more}; Einträge sollten mindestens {minimum} "
    + "auseinanderliegen",
  "say.finding entries-unsorted":
    "Eintrag {entry} hat ein früheres Datum als Eintrag {before}{more}; die Einträge wurden sortiert",
  "say.finding expiry-without-effect":
    "Eintrag {entry} läuft nie ab, weil dann schon Eintrag {next} aktuell ist{more}",
  "say.finding group-without-window":
    "{item} {index} hat eine Gruppe, aber keiner seiner Provider ist ein Datum{more}: die Gruppe hat keine Wirkung, da "
    + "das Widget nur während der Fenster in ihr ist",
  "say.finding intent-type-unregistered":
    "Spende {index} sagt nichts vorher{more}: die App hat den Typ {type} nicht registriert",
  "say.finding item donation": "Spende",
  "say.finding item intent": "Intent",
  "say.finding item shortcut": "Shortcut",
  "say.finding kind-fits-no-stack":
    "kein Stapel des Geräts hat eine Größe, die die Art von {item} {index} unterstützt{more}: {families}",
  "say.finding kind-unregistered": "die Art von {item} {index} ist nicht registriert{more}",
  "say.finding lacking prediction": "Vorhersagen",
  "say.finding lacking search": "die Suche",
  "say.finding more": ", ebenso {more} weitere",
  "say.finding no-combination-satisfied":
    "Spende {index} sagt nichts vorher{more}: der Typ {type} hat keine Kombinationen",
  "say.finding no-combination-satisfied combinations":
    "Spende {index} sagt nichts vorher{more}: keine Kombination von {type} hat für alle Parameter Werte ihrer Typen",
  "say.finding only-watch-face":
    "{item} {index} nennt eine Widget-Art, aber keiner seiner Provider ist ein Datum{more}: das Widget wird nie "
    + "vorgeschlagen, da andere Provider nur für das Zifferblatt zählen",
  "say.finding payload-never-repeats":
    "{parameter} ist in jeder von {count} sonst gleichen Spenden ein anderer Wert{more}: keine zwei von ihnen zählen "
    + "als dieselbe Aktion",
  "say.finding reload-over-budget":
    "die Zeitleiste verlangt die nächste sofort, nach jeder Veröffentlichung",
  "say.finding reload-over-budget budget":
    "die Zeitleiste verlangt die nächste nach {wait}; das Budget ist {budget} in 24 h",
  "say.finding reload-over-budget spacing":
    "die Zeitleiste verlangt die nächste nach {wait}; zwischen zwei Anforderungen liegen mindestens {spacing}",
  "say.finding required-key-missing":
    "Spende {index} sagt nichts vorher{more}: die Aktivität {type} hat keinen Wert für ihren erforderlichen Schlüssel "
    + "{key}",
  "say.finding scale-changed":
    "die höchste Bewertung ist {score}, die höchste der Art bisher {reference}: Bewertungen sind relativ, so dass bei "
    + "mehr als dem {factor}-Fachen die niedrigeren an Gewicht verlieren",
  "say.finding score-constant":
    "alle {count} Bewertungen sind {score}: sie heben keine Zeit hervor",
  "say.finding score-never-cleared":
    "kein Eintrag gibt eine Relevanz an, so dass die geltende Bewertung {score} unbegrenzt weiter gilt",
  "say.finding score-never-cleared entry":
    "die Bewertung von Eintrag {entry} ist {score} mit der Dauer 0, und keine spätere folgt: sie gilt, bis ein Eintrag "
    + "mit Relevanz sie ablöst",
  "say.finding score-never-zero":
    "alle {count} Bewertungen sind positiv: 0 ist die Bewertung, solange das Widget nicht relevant ist",
  "say.finding score-over":
    "jede positive Bewertung endete {age} vor der Veröffentlichung: zu diesem Widget wird nie rotiert; vielleicht sind "
    + "die Daten die eines anderen Tages",
  "say.finding set-duplicate": "{item} {index} ist gleich {item} {first}{more}",
  "say.finding single-dollar-sign":
    "ein Text von {type} hat ein einzelnes Dollarzeichen{more}: $$ steht für eines, und $ mit einem Namen in "
    + "geschweiften Klammern für einen Parameter",
  "say.finding title-line-break":
    "ein Titel von {type} hat einen Zeilenumbruch{more}: Displays zeigen Titel auf einer Zeile",
  "say.finding type-not-discoverable":
    "Spende {index} wird auf keiner Oberfläche vorgeschlagen{more}: der Typ {type} ist nicht auffindbar",
  "say.finding type-not-eligible":
    "Spende {index} sagt nichts vorher{more}: der Typ {type} ist nicht für Vorschläge zugelassen",
  "say.finding unknown-key": "der unbekannte Schlüssel {key} wird nicht beachtet",
  "say.finding window-cut-off":
    "die Bewertung von Eintrag {entry} dauert {length}, aber Eintrag {next} löst sie nach {after} ab{more}",
  "say.finding window-over": "{item} {index} war gerade vorbei, als es gesetzt wurde{more}: es wird nie gezeigt",
  "say.finding window-over since":
    "{item} {index} war seit {since} vorbei, als es gesetzt wurde{more}: es wird nie gezeigt",
  "say.finding window-too-short":
    "ein Fenster von {item} {index} dauert {length}{more}: weniger als {minimum} ist zu kurz, um gesehen zu werden",
  "say.finding window-too-short entry":
    "die Bewertung von Eintrag {entry} gilt {length}{more}: Dauern sind in Sekunden, und weniger als {minimum} ist zu "
    + "kurz, um gesehen zu werden",
  "say.finding windows-overlap":
    "Fenster von {item} {index} überlappen sich{more}: eines vom ersten Anfang bis zum letzten Ende wirkt gleich",
  "say.finding windows-overlap equal":
    "Fenster von Intent {equal} und anderen, die ihm gleichen, überlappen sich{more}: eines vom ersten Anfang bis zum "
    + "letzten Ende wirkt gleich",
};
