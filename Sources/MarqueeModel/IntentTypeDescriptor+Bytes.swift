extension IntentValueType: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(tag: rawValue)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    guard let type = IntentValueType(rawValue: try reader.readTag()) else { throw reader.corrupt("unknown value type") }
    self = type
  }
}

/// The encoding is that of format 1, which had no texts, followed by the texts. The byte of the last flag of format 1
/// also contains whether intents of the type are Focus filters, and whether descriptions of find actions follow the
/// texts.
extension IntentTypeDescriptor: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(app)
    writer.write(type)
    writer.write(parameters.count)
    for parameter in parameters {
      writer.write(parameter.name)
      writer.write(parameter.type)
      writer.write(parameter.isArray)
    }
    writer.write(combinations.count)
    for combination in combinations {
      writer.write(combination.parameters)
      writer.write(combination.isBackground)
    }
    writer.write(isEligibleForWidgets)
    writer.write(isEligibleForSuggestions)
    let describesFinds = parameters.contains { !$0.findDescription.isEmpty }
    writer.write(
      tag: (isDiscoverable ? Self.discoverableBit : 0) | (isFocusFilter ? Self.focusFilterBit : 0)
        | (describesFinds ? Self.findBit : 0))
    writer.write(title)
    writer.write(descriptionText)
    for parameter in parameters { writer.write(parameter.caseTitles) }
    for combination in combinations { writer.write(combination.texts == .none ? nil : combination.texts) }
    if describesFinds { for parameter in parameters { writer.write(parameter.findDescription) } }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (plain, bits) = try Self.readPlain(
      from: &reader, bitsMax: Self.discoverableBit | Self.focusFilterBit | Self.findBit)
    let (title, descriptionText) = (try reader.readString(), try reader.readString())
    var (caseTitles, combinations) = ([[EnumCaseTitle]](), [Combination]())
    for _ in plain.parameters { caseTitles.append(try reader.readArray()) }
    for combination in plain.combinations {
      combinations.append(
        .init(
          parameters: combination.parameters, isBackground: combination.isBackground,
          texts: try reader.readOptional() ?? .none))
    }
    let parameters = try Self.readParameters(plain, caseTitles, describesFinds: bits & Self.findBit != 0, &reader)
    self = try reader.checked { () throws(RequestError) in
      try IntentTypeDescriptor(
        app: plain.app, type: plain.type, parameters: parameters, combinations: combinations,
        isEligibleForWidgets: plain.isEligibleForWidgets, isEligibleForSuggestions: plain.isEligibleForSuggestions,
        isDiscoverable: plain.isDiscoverable, isFocusFilter: bits & Self.focusFilterBit != 0, title: title,
        descriptionText: descriptionText)
    }
  }

  /// Returns the parameters of a plain description with their texts, reading the descriptions of find actions.
  private static func readParameters(
    _ plain: IntentTypeDescriptor, _ caseTitles: [[EnumCaseTitle]], describesFinds: Bool, _ reader: inout ByteReader
  ) throws(BinaryDecodingError) -> [Parameter] {
    var parameters: [Parameter] = []
    for (parameter, titles) in zip(plain.parameters, caseTitles) {
      parameters.append(
        .init(
          name: parameter.name, type: parameter.type, isArray: parameter.isArray, caseTitles: titles,
          findDescription: describesFinds ? try reader.readString() : ""))
    }
    guard !describesFinds || parameters.contains(where: { !$0.findDescription.isEmpty }) else {
      throw reader.corrupt("a mark of descriptions of find actions without any")
    }
    return parameters
  }

  private static var discoverableBit: UInt8 { 1 }
  private static var focusFilterBit: UInt8 { 2 }
  private static var findBit: UInt8 { 4 }

  /// Decodes descriptions in format 1.
  package static func array(v1 reader: inout ByteReader) throws(BinaryDecodingError) -> [IntentTypeDescriptor] {
    var descriptors: [IntentTypeDescriptor] = []
    for _ in 0..<(try reader.readCount()) {
      descriptors.append(try readPlain(from: &reader, bitsMax: discoverableBit).type)
    }
    return descriptors
  }

  /// Decodes a description in format 1, which had no texts, and the flags of its last byte.
  private static func readPlain(
    from reader: inout ByteReader, bitsMax: UInt8
  ) throws(BinaryDecodingError) -> (type: IntentTypeDescriptor, bits: UInt8) {
    let (app, type) = (try reader.read(AppID.self), try reader.read(IntentType.self))
    var (parameters, combinations) = ([Parameter](), [Combination]())
    for _ in 0..<(try reader.readCount()) {
      parameters.append(.init(name: try reader.read(), type: try reader.read(), isArray: try reader.readBool()))
    }
    for _ in 0..<(try reader.readCount()) {
      combinations.append(.init(parameters: try reader.readArray(), isBackground: try reader.readBool()))
    }
    let (isForWidgets, isForSuggestions) = (try reader.readBool(), try reader.readBool())
    let bits = try reader.readTag()
    guard bits <= bitsMax else {
      throw reader.corrupt("unknown flags of an intent type: \(bits)")
    }
    let descriptor = try reader.checked { () throws(RequestError) in
      try IntentTypeDescriptor(
        app: app, type: type, parameters: parameters, combinations: combinations, isEligibleForWidgets: isForWidgets,
        isEligibleForSuggestions: isForSuggestions, isDiscoverable: bits & discoverableBit != 0)
    }
    return (descriptor, bits)
  }
}

extension EnumCaseTitle: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(name)
    writer.write(title)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (name, title) = (try reader.readString(), try reader.readString())
    self = try reader.checked { () throws(RequestError) in try EnumCaseTitle(name: name, title: title) }
  }
}

extension ActionTexts: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    for format in formats { writer.write(format.format.text) }
    writer.write(imageKey)
    writer.write(category)
    writer.write(keywords.count)
    for keyword in keywords { writer.write(keyword) }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let formats = (try reader.readString(), try reader.readString(), try reader.readString())
    let (imageKey, category) = (try reader.readString(), try reader.readString())
    var keywords: [String] = []
    for _ in 0..<(try reader.readCount()) { keywords.append(try reader.readString()) }
    self = try reader.checked { () throws(RequestError) in
      try ActionTexts(
        title: TextFormat(formats.0), subtitle: TextFormat(formats.1), summary: TextFormat(formats.2),
        imageKey: imageKey, category: category, keywords: keywords)
    }
  }
}

extension DonationDisplay: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(title)
    writer.write(subtitle)
    writer.write(imageKey)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (title, subtitle, imageKey) = (try reader.readString(), try reader.readString(), try reader.readString())
    self = try reader.checked { () throws(RequestError) in
      try DonationDisplay(title: title, subtitle: subtitle, imageKey: imageKey)
    }
  }
}
