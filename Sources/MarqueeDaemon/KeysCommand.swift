import ArgumentParser
import MarqueeJournal
import MarqueePostgres
import MarqueeServer
import MarqueeTerminal

/// `marqueed keys`
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys",
    abstract: "List or rotate the keys under which the rows of a PostgreSQL database are sealed.",
    usage: """
      marqueed keys list --store postgres:<conninfo> --keys <directory>
      marqueed keys rotate --store postgres:<conninfo> --keys <directory>
      """,
    subcommands: [List.self, Rotate.self])

  @ParentCommand var server: Marqueed

  /// `marqueed keys list`
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the keys in the directory, and the number of devices that each one protects.")

    @ParentCommand var keys: KeysCommand

    func validate() throws { try keys.server.checkOptionsUnused(acceptsStore: true) }

    func run() async throws {
      let listing: KeyListing
      do throws(JournalError) {
        listing = try await keys.server.requiredDatabase().listKeys()
      } catch {
        throw Marqueed.Failure(error.message)
      }
      Terminal.standard.write(
        listing.entries.map { entry in
          "\(entry.name)  \(counted(entry.deviceCount, "device"))\(entry.isPresent ? "" : "  missing")"
        })
    }
  }

  /// `marqueed keys rotate`
  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate",
      abstract: "Make a key, protect all devices with it, and destroy the keys that are older than the one before.",
      discussion: """
        A server may use the database meanwhile. Deleted content can no longer be read with any copy of the database's \
        files once the key is destroyed that protected it: after the second rotation. Exit status: 0 if all devices \
        have the new key, 1 if not.
        """)

    @ParentCommand var keys: KeysCommand

    func validate() throws { try keys.server.checkOptionsUnused(acceptsStore: true) }

    func run() async throws {
      let rotation: KeyRotation
      do throws(JournalError) {
        rotation = try await keys.server.requiredDatabase().rotateKeys()
      } catch {
        throw Marqueed.Failure(error.message)
      }
      Terminal.standard.write(
        ["Made the key \(rotation.name), which protects \(counted(rotation.wrappedCount, "device"))."]
          + rotation.destroyed.map { "Destroyed the key \($0)." })
      guard rotation.unreadableCount == 0 else {
        throw Marqueed.Failure(
          "\(counted(rotation.unreadableCount, "device")) cannot be read: keys are missing or damaged\n"
            + "Restore the missing files. Until then, the keys of these devices are not destroyed.")
      }
    }
  }
}

/// Returns a number and a noun.
private func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
