import CRsvg
import MarqueeModel

/// A drawing rendered by librsvg.
struct PNGImage {
  /// The bytes of the PNG file.
  let bytes: [UInt8]

  /// Renders an SVG document at `scale` times its size. Throws the error reported by librsvg or cairo.
  init(svg: String, size: (width: Int, height: Int), scale: Double) throws(CommandFailure) {
    let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
    var error: UnsafeMutablePointer<GError>?
    let handle = Array(svg.utf8).withUnsafeBufferPointer {
      rsvg_handle_new_from_data($0.baseAddress, gsize($0.count), &error)
    }
    guard let handle else { throw Self.failure("read", error) }
    defer { g_object_unref(UnsafeMutableRawPointer(handle)) }
    let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(saturating: width), Int32(saturating: height))
    defer { cairo_surface_destroy(surface) }
    let context = cairo_create(surface)
    defer { cairo_destroy(context) }
    var viewport = RsvgRectangle(x: 0, y: 0, width: width, height: height)
    guard rsvg_handle_render_document(handle, context, &viewport, &error) != 0 else {
      throw Self.failure("rendered", error)
    }
    let sink = Sink()
    let status = cairo_surface_write_to_png_stream(
      surface,
      { closure, data, count in
        guard let closure, let data else { return CAIRO_STATUS_WRITE_ERROR }
        let sink = Unmanaged<Sink>.fromOpaque(closure).takeUnretainedValue()
        sink.bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
      }, Unmanaged.passUnretained(sink).toOpaque())
    guard status == CAIRO_STATUS_SUCCESS else {
      throw CommandFailure(.internalError, "cannot encode the PNG image: cairo status \(status.rawValue)")
    }
    bytes = sink.bytes
  }

  private final class Sink {
    var bytes: [UInt8] = []
  }

  private static func failure(_ verb: String, _ error: UnsafeMutablePointer<GError>?) -> CommandFailure {
    defer { if let error { g_error_free(error) } }
    let reason = error?.pointee.message.map { String(cString: $0) } ?? "no reason given"
    return CommandFailure(.internalError, "the image cannot be \(verb): \(reason)")
  }
}
