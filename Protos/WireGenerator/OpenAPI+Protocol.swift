/// The parts of the document that are those of the Connect protocol, and not of the .proto files.
extension OpenAPI {
  static let info: JSONValue = [
    "title": "Marquee", "version": "v1",
    "description": .string(
      [
        "The calls of a Marquee server in JSON, by the Connect protocol (https://connectrpc.com/docs/protocol). A call "
          + "is a POST request with the path of its method.",
        "JSON follows the mapping of proto3. Absent fields have the default of their type, and responses omit fields "
          + "with this value, except for members of a oneof. 64-bit integers are strings; requests may also have "
          + "numbers. Enumeration values are names, and bytes are base64. Times are milliseconds since "
          + "1970-01-01T00:00:00Z. Clients must ignore unknown fields.",
        "The methods that stream requests, which require gRPC, are not described: Provide, ServeQueries, "
          + "PerformIntent and StreamDonations. PublishTimeline and WatchReloads, WatchQueries and RespondToQuery, "
          + "RunIntent and ReplyToPrompt, and Donate replace them.",
        "Rules, such as rule W3, are those of the article Rules in the documentation of MarqueeScheduler.",
      ].joined(separator: "\n\n")),
  ]

  static let servers: JSONValue = [
    [
      "url": "http://{address}",
      "variables": [
        "address": ["default": "127.0.0.1:7400", "description": "The address of a TCP endpoint in `listen`."]
      ],
    ]
  ]

  static let securitySchemes: JSONValue = [
    "bearer": [
      "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
      "description": .string(
        "A token of an issuer in the access policy. Not required where the policy has a rule for the client's address "
          + "or certificate, except for pages in browsers."),
    ]
  ]

  static let parameters: [(key: String, value: JSONValue)] = [
    (
      "Connect-Timeout-Ms",
      [
        "name": "Connect-Timeout-Ms", "in": "header",
        "description": "The time until the deadline of the call, in milliseconds.",
        "schema": ["type": "string", "pattern": "^[0-9]{1,10}$"],
      ]
    ),
    (
      "Connect-Protocol-Version",
      [
        "name": "Connect-Protocol-Version", "in": "header", "description": "The version of the protocol.",
        "schema": ["type": "string", "enum": ["1"]],
      ]
    ),
  ]

  static let headers: JSONValue = [
    "marquee-ignored-fields": [
      "description": "The paths of unknown fields of the request, which were skipped, separated by commas.",
      "schema": ["type": "string"],
    ],
    "www-authenticate": [
      "description": "The kind of credentials, with the status 401.", "schema": ["type": "string", "enum": ["Bearer"]],
    ],
    "retry-after": [
      "description": "The time in seconds after which a call that was not processed may be repeated.",
      "schema": ["type": "string", "pattern": "^[0-9]+$"],
    ],
    "allow": [
      "description": "The methods of HTTP, with the status 405.", "schema": ["type": "string"],
    ],
    "accept-post": [
      "description": "The content types of calls of the method, with the status 415.", "schema": ["type": "string"],
    ],
  ]

  static let responses: JSONValue = [
    "Error": [
      "description": .string(
        "The call failed. A request that is not a call has a status of HTTP: 405 for methods other than POST, 415 for "
          + "other content types and 421 for an unknown host, with a sentence in plain text, and without a body 400 if "
          + "it is malformed, 403 for a foreign origin, 408 for a slow head, and 431 for header fields of more than "
          + "16 KiB."),
      "headers": references(
        to: ["marquee-ignored-fields", "www-authenticate", "retry-after", "allow", "accept-post"]),
      "content": [
        "application/json": ["schema": ["$ref": "#/components/schemas/Error"]],
        "text/plain": ["schema": ["type": "string"]],
      ],
    ]
  ]

  static let protocolSchemas: [(key: String, value: JSONValue)] = [
    (
      "Double",
      [
        "description": "A number, or the name of a value that is not finite.",
        "oneOf": [
          ["type": "number", "format": "double"], ["type": "string", "enum": ["NaN", "Infinity", "-Infinity"]],
        ],
      ]
    ), ("Error", error),
    (
      "ErrorDetail",
      [
        "type": "object", "description": "A structured detail of an error.", "required": ["type", "value"],
        "properties": [
          "type": ["type": "string", "description": "The full name of the message."],
          "value": [
            "type": "string", "contentEncoding": "base64",
            "description": "The encoded message, in base64 without padding.",
          ],
        ],
      ]
    ),
    (
      "EndOfStream",
      [
        "type": "object", "description": "The last message of a stream, with the flag 2.",
        "properties": [
          "error": ["$ref": "#/components/schemas/Error", "description": "The error; absent if the call succeeded."],
          "metadata": [
            "type": "object", "description": "The trailing metadata.",
            "additionalProperties": ["type": "array", "items": ["type": "string"]],
          ],
        ],
      ]
    ),
  ]

  private static let error: JSONValue = [
    "type": "object", "description": "The status of a failed call.", "required": ["code"],
    "properties": [
      "code": [
        "type": "string",
        "description": .string(
          "The code, with the HTTP status of a unary call: `invalid_argument`, `failed_precondition`, `out_of_range` "
            + "400; `unauthenticated` 401; `permission_denied` 403; `not_found` 404; `already_exists`, `aborted` 409; "
            + "`resource_exhausted` 429, or 413 for a body over its limit; `canceled` 499; `unknown`, `internal`, "
            + "`data_loss` 500; `unimplemented` 501, or 404 for unknown methods; `unavailable` 503; "
            + "`deadline_exceeded` 504."),
        "enum": [
          "canceled", "unknown", "invalid_argument", "deadline_exceeded", "not_found", "already_exists",
          "permission_denied", "resource_exhausted", "failed_precondition", "aborted", "out_of_range",
          "unimplemented", "internal", "unavailable", "data_loss", "unauthenticated",
        ],
      ],
      "message": ["type": "string", "description": "The reason, with the path of an invalid field."],
      "details": [
        "type": "array", "description": "Structured details.",
        "items": ["$ref": "#/components/schemas/ErrorDetail"],
      ],
    ],
  ]
}
