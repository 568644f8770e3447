/**
 * The bounds on what arrives as bytes, in one table. The decoders beside this module take their defaults from it and
 * name its keys when a bound is passed; transports read `maxBodyBytes` and `maxBatch` from it.
 */

const MEBIBYTE = 1024 * 1024

export const FRAMING_LIMITS = {
  /** Arrays and objects inside one another in a JSON text. */
  maxDepth: 128,
  /** Members of one JSON object, repeated names counted. */
  maxKeys: 10_000,
  /** Items of one JSON array. */
  maxItems: 100_000,
  /** Arrays, objects and members of objects in one JSON text, all together: each of them costs time and memory, however short. */
  maxNodes: 250_000,
  /** UTF-16 units of one JSON string, names included. */
  maxStringLength: 16 * MEBIBYTE,
  /** Bytes of one line, its ending not counted. */
  maxLineBytes: 64 * MEBIBYTE,
  /** Bytes of all field lines of one server-sent event, line endings not counted. */
  maxEventBytes: 64 * MEBIBYTE,
  /** Bytes of one WebSocket message, whatever frames it comes in. */
  maxFrameBytes: 64 * MEBIBYTE,
  /** Bytes of one HTTP request body. */
  maxBodyBytes: 4 * MEBIBYTE,
  /** Messages in one JSON-RPC batch. */
  maxBatch: 100,
} as const

type FramingLimit = keyof typeof FRAMING_LIMITS

/** The wording that every passed bound is reported with. */
export function toLimitReason(limit: FramingLimit, value: number): string {
  return `${limit} (${value}) exceeded`
}
