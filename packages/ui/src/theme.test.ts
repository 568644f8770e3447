import { describe, expect, it } from 'vitest'
import { SURFACES, TONES, theme } from './theme.ts'

describe.each(['light', 'dark'] as const)('the %s theme', (scheme) => {
  const { raised, canvas, sunken, nav } = SURFACES[scheme]

  it.each(Object.entries(TONES[scheme]))('writes "%s" readably on its own ground and on cards', (_name, tone) => {
    for (const ground of [tone.ground, raised, canvas]) expect(contrast(tone.text, ground)).toBeGreaterThanOrEqual(4.5)
  })

  it('writes dimmed text readably on every surface', () => {
    const dimmed = scheme === 'light' ? theme.colors?.gray?.[6] : theme.colors?.dark?.[2]
    for (const ground of [raised, canvas, sunken, nav]) {
      expect(contrast(dimmed ?? '', ground)).toBeGreaterThanOrEqual(4.5)
    }
  })
})

it.each(['ink', 'green', 'yellow', 'red'] as const)('writes white readably on a filled %s button', (name) => {
  expect(contrast('#ffffff', theme.colors?.[name]?.[6] ?? '')).toBeGreaterThanOrEqual(4.5)
})

function contrast(a: string, b: string): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
