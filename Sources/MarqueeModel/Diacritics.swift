/// The letters with diacritics, and letters with a stroke, by their base letters.
///
/// The table contains every letter whose canonical decomposition consists of a lower-case letter and combining
/// diacritical marks (U+0300 to U+036F), so that a text and its canonical equivalents have the same base letters.
enum Diacritics {
  /// The base letter of each letter.
  static let baseLetters: [Unicode.Scalar: Unicode.Scalar] = {
    var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (base, letters) in groups {
      for letter in letters.unicodeScalars { bases[letter] = base }
    }
    return bases
  }()

  private static let groups: [(Unicode.Scalar, String)] = [
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"), ("b", "ḃḅḇ"), ("c", "çćĉċčḉ"), ("d", "ďḋḍḏḑḓđ"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"), ("f", "ḟ"), ("g", "ĝğġģǧǵḡ"), ("h", "ĥȟḣḥḧḩḫẖħ"), ("i", "ìíîïĩīĭįǐȉȋḭḯỉị"),
    ("j", "ĵǰ"), ("k", "ķǩḱḳḵ"), ("l", "ĺļľḷḹḻḽł"), ("m", "ḿṁṃ"), ("n", "ñńņňǹṅṇṉṋ"),
    ("o", "òóôõöōŏőơǒǫǭȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợǿø"), ("p", "ṕṗ"), ("r", "ŕŗřȑȓṙṛṝṟ"), ("s", "śŝşšșṡṣṥṧṩ"),
    ("t", "ţťțṫṭṯṱẗŧ"), ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"), ("v", "ṽṿ"), ("w", "ŵẁẃẅẇẉẘ"), ("x", "ẋẍ"),
    ("y", "ýÿŷȳẏẙỳỵỷỹ"), ("z", "źżžẑẓẕ"), ("æ", "ǣǽ"), ("ʒ", "ǯ"), ("α", "άἀἁἂἃἄἅἆἇὰᾀᾁᾂᾃᾄᾅᾆᾇᾰᾱᾲᾳᾴᾶᾷ"),
    ("ε", "έἐἑἒἓἔἕὲ"), ("η", "ήἠἡἢἣἤἥἦἧὴᾐᾑᾒᾓᾔᾕᾖᾗῂῃῄῆῇ"), ("ι", "ΐίϊἰἱἲἳἴἵἶἷὶῐῑῒῖῗ"), ("ο", "όὀὁὂὃὄὅὸ"), ("ρ", "ῤῥ"),
    ("υ", "ΰϋύὐὑὒὓὔὕὖὗὺῠῡῢῦῧ"), ("ω", "ώὠὡὢὣὤὥὦὧὼᾠᾡᾢᾣᾤᾥᾦᾧῲῳῴῶῷ"), ("а", "ӑӓ"), ("г", "ѓ"), ("е", "ѐёӗ"), ("ж", "ӂӝ"),
    ("з", "ӟ"), ("и", "йѝӣӥ"), ("к", "ќ"), ("о", "ӧ"), ("у", "ўӯӱӳ"), ("ч", "ӵ"), ("ы", "ӹ"), ("э", "ӭ"), ("і", "ї"),
    ("ѵ", "ѷ"), ("ә", "ӛ"), ("ө", "ӫ"),
  ]

  /// Whether a scalar is a mark that is not compared: a combining diacritical mark, or a point of Hebrew or Arabic.
  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x36F, 0x591...0x5BD, 0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5, 0x5C7, 0x64B...0x652, 0x670: true
    default: false
    }
  }
}
