extension Intent: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(type)
    writer.write(parameters)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (type, parameters) = (try reader.read(IntentType.self), try reader.readArray(IntentParameter.self))
    self = try reader.checked { () throws(RequestError) in try Intent(type: type, parameters: parameters) }
  }
}

extension IntentParameter: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(name)
    switch value {
    case .single(let value):
      writer.write(false)
      writer.write(value)
    case .array(let values):
      writer.write(true)
      writer.write(values)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let name = try reader.read(Name.self)
    let isArray = try reader.readBool()
    self.init(name: name, value: isArray ? .array(try reader.readArray()) : .single(try reader.read()))
  }
}

extension DisplayIdentity: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(identifier)
    writer.write(display)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    self.init(identifier: try reader.readString(), display: try reader.readString())
  }
}

extension Place: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    writer.write(latitude)
    writer.write(longitude)
    writer.write(display)
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    let (latitude, longitude) = (try reader.readDouble(), try reader.readDouble())
    let display = try reader.readString()
    self = try reader.checked { () throws(RequestError) in
      try Place(latitude: latitude, longitude: longitude, display: display)
    }
  }
}

extension IntentValue: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .string(let text):
      writer.write(tag: 0)
      writer.write(text)
    case .integer(let number):
      writer.write(tag: 1)
      writer.write(number)
    case .double(let number):
      writer.write(tag: 2)
      writer.write(number)
    case .boolean(let flag):
      writer.write(tag: 3)
      writer.write(flag)
    case .date(let instant):
      writer.write(tag: 4)
      writer.write(instant)
    case .enumCase(let text):
      writer.write(tag: 5)
      writer.write(text)
    case .object(let identity):
      writer.write(tag: 6)
      writer.write(identity)
    case .place(let place):
      writer.write(tag: 7)
      writer.write(place)
    case .person(let identity):
      writer.write(tag: 8)
      writer.write(identity)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 0: self = .string(try reader.readString())
    case 1: self = .integer(try reader.readInt64())
    case 2: self = .double(try reader.readDouble())
    case 3: self = .boolean(try reader.readBool())
    case 4: self = .date(try reader.read())
    case 5: self = .enumCase(try reader.readString())
    case 6: self = .object(try reader.read())
    case 7: self = .place(try reader.read())
    case 8: self = .person(try reader.read())
    case let tag: throw reader.corrupt("unknown intent value type: \(tag)")
    }
  }
}
