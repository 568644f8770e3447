/** A picture and a sound, small enough to be written here and real enough to be shown. */

/** Four colours, 2 × 2 pixels, PNG. */
export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8Dwn4GBgYmBgYGBAQAkBgMBgNZ3cQAAAABJRU5ErkJggg=='

/** A tenth of a second of a tone of 440 Hz, 8 kHz, mono, as a WAV file in base64. */
export function tone(): string {
  const rate = 8_000
  const samples = rate / 10
  const wave = Buffer.alloc(44 + samples)
  wave.write('RIFF', 0)
  wave.writeUInt32LE(36 + samples, 4)
  wave.write('WAVEfmt ', 8)
  wave.writeUInt32LE(16, 16)
  wave.writeUInt16LE(1, 20)
  wave.writeUInt16LE(1, 22)
  wave.writeUInt32LE(rate, 24)
  wave.writeUInt32LE(rate, 28)
  wave.writeUInt16LE(1, 32)
  wave.writeUInt16LE(8, 34)
  wave.write('data', 36)
  wave.writeUInt32LE(samples, 40)
  for (let at = 0; at < samples; at++) wave[44 + at] = 128 + Math.round(90 * Math.sin((2 * Math.PI * 440 * at) / rate))
  return wave.toString('base64')
}
