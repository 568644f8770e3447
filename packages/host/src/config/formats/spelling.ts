/**
 * What a text says whichever way it is spelled: percent-encoding undone, characters that nobody sees left out, wide and
 * composed letters as plain ones. For comparing, never for sending: what is compared so may be read so by a server.
 */

/** Marks and signs without a shape of their own, and control characters. */
const UNSEEN = /[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu
const ENCODED = /(?:%[0-9a-f]{2})+/gi
const MAX_ROUNDS = 8

/** Undefined for a text that is encoded so many times over that nobody means it. */
export function plainSpelling(text: string): string | undefined {
  let current = text
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = current.normalize('NFKC').replace(UNSEEN, '').trim().replace(ENCODED, decoded)
    if (next === current) return current
    current = next
  }
  return undefined
}

function decoded(sequence: string): string {
  try {
    return decodeURIComponent(sequence)
  } catch {
    // Bytes that are no text stay as they are written.
    return sequence.toLowerCase()
  }
}
