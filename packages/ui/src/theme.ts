/**
 * How the workbench looks: one palette, one scale of type and space, for a light and a dark page. Surfaces are quiet
 * slate, the accent is ink blue, and colour otherwise means a state. `theme.test.ts` holds every pair that carries text
 * to a readable contrast.
 */

import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const ink: MantineColorsTuple = [
  '#eef1ff',
  '#dee4fd',
  '#bfcafb',
  '#9dadf6',
  '#8395f1',
  '#5a70e6',
  '#3f56d6',
  '#3347b8',
  '#2a3a96',
  '#1f2a6c',
]
const gray: MantineColorsTuple = [
  '#f8f9fb',
  '#f1f3f7',
  '#e5e8ef',
  '#d6dbe5',
  '#bcc4d2',
  '#9099ac',
  '#596275',
  '#434b5d',
  '#2d3443',
  '#1a1f2c',
]
const dark: MantineColorsTuple = [
  '#dce0e9',
  '#bcc3d1',
  '#a0a9bb',
  '#7d869a',
  '#3b4354',
  '#2b3241',
  '#1f2531',
  '#181d27',
  '#11151d',
  '#0b0e14',
]
const green: MantineColorsTuple = [
  '#e8faef',
  '#d0f4de',
  '#a5e8be',
  '#72d699',
  '#43bf77',
  '#22a35c',
  '#107a43',
  '#0c6537',
  '#0a512d',
  '#063b20',
]
const yellow: MantineColorsTuple = [
  '#fff7e3',
  '#ffecbf',
  '#ffda8a',
  '#fdc24d',
  '#efa825',
  '#cc8608',
  '#946000',
  '#7a4f00',
  '#603e00',
  '#452c00',
]
const red: MantineColorsTuple = [
  '#fff0f0',
  '#ffdfdf',
  '#ffc0c0',
  '#fb9a9a',
  '#f37474',
  '#e14a4d',
  '#c52c31',
  '#a32328',
  '#821b20',
  '#5a1013',
]

/** Named in CSS as `--portico-…`, for what Mantine has no variable for. */
export const SURFACES = {
  light: {
    canvas: '#f5f6f9',
    raised: '#ffffff',
    sunken: '#f1f3f7',
    line: '#e1e5ec',
    strong: '#11151d',
    nav: '#fbfbfd',
  },
  dark: { canvas: '#0f1219', raised: '#181d27', sunken: '#12161e', line: '#2a3140', strong: '#f4f6fa', nav: '#12161e' },
} as const

/** What a state looks like: text, ground and line. Never the only sign of it: a word and an icon stand beside. */
export const TONES = {
  light: {
    good: { text: green[7], ground: green[0], line: green[2] },
    busy: { text: ink[7], ground: ink[0], line: ink[2] },
    warn: { text: yellow[7], ground: yellow[0], line: yellow[2] },
    bad: { text: red[7], ground: red[0], line: red[2] },
    calm: { text: gray[6], ground: gray[1], line: gray[3] },
  },
  dark: {
    good: { text: green[3], ground: '#10261b', line: '#1c4630' },
    busy: { text: ink[3], ground: '#191f3a', line: '#2e3a70' },
    warn: { text: yellow[3], ground: '#2b210c', line: '#574317' },
    bad: { text: red[3], ground: '#2f1518', line: '#63282c' },
    calm: { text: dark[2], ground: '#1f2531', line: '#343c4c' },
  },
} as const

export type ToneName = keyof (typeof TONES)['light']

export const theme = createTheme({
  colors: { ink, gray, dark, green, yellow, red },
  primaryColor: 'ink',
  primaryShade: 6,
  white: '#ffffff',
  black: gray[9],
  autoContrast: true,
  luminanceThreshold: 0.42,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, "Cascadia Code", Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.35' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.375rem', xl: '2rem' },
  radius: { xs: '0.25rem', sm: '0.375rem', md: '0.5rem', lg: '0.75rem', xl: '1.25rem' },
  defaultRadius: 'md',
  headings: {
    fontWeight: '640',
    sizes: {
      h1: { fontSize: '1.625rem', lineHeight: '1.2' },
      h2: { fontSize: '1.1875rem', lineHeight: '1.3' },
      h3: { fontSize: '1rem', lineHeight: '1.35' },
      h4: { fontSize: '0.875rem', lineHeight: '1.4' },
    },
  },
  shadows: {
    xs: '0 1px 2px rgb(17 21 29 / 6%)',
    sm: '0 1px 3px rgb(17 21 29 / 8%), 0 4px 12px rgb(17 21 29 / 4%)',
    md: '0 2px 6px rgb(17 21 29 / 8%), 0 12px 28px rgb(17 21 29 / 10%)',
    lg: '0 4px 10px rgb(17 21 29 / 10%), 0 20px 44px rgb(17 21 29 / 16%)',
    xl: '0 8px 18px rgb(17 21 29 / 12%), 0 32px 64px rgb(17 21 29 / 20%)',
  },
  components: {
    Button: { defaultProps: { size: 'sm' } },
    Card: { defaultProps: { withBorder: true, radius: 'lg', padding: 'lg' } },
    Paper: { defaultProps: { radius: 'lg' } },
    Modal: { defaultProps: { centered: true, radius: 'lg', overlayProps: { backgroundOpacity: 0.45, blur: 2 } } },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.35 }, position: 'right' } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300 } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Badge: { defaultProps: { variant: 'light', radius: 'sm' } },
    Code: { defaultProps: { fz: 'sm' } },
    Tabs: { defaultProps: { keepMounted: false } },
  },
})

/** Colours that carry text, made dark (or light) enough to read; Mantine's own are a little too faint. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => {
  const light: Record<string, string> = {
    '--mantine-color-placeholder': gray[6],
    '--mantine-color-default-border': gray[3],
    '--mantine-color-disabled-color': gray[6],
    '--mantine-color-error': red[7],
    ...surfaceVariables('light'),
  }
  const dim: Record<string, string> = {
    '--mantine-color-body': dark[7],
    '--mantine-color-placeholder': dark[2],
    '--mantine-color-default-border': dark[4],
    '--mantine-color-disabled-color': dark[2],
    '--mantine-color-error': red[3],
    '--mantine-color-anchor': ink[3],
    ...surfaceVariables('dark'),
  }
  for (const name of Object.keys(colors)) {
    if (name === 'dark') continue
    light[`--mantine-color-${name}-text`] = `color-mix(in srgb, var(--mantine-color-${name}-9), black 18%)`
    light[`--mantine-color-${name}-light-color`] = `color-mix(in srgb, var(--mantine-color-${name}-9), black 30%)`
    dim[`--mantine-color-${name}-text`] = `var(--mantine-color-${name}-3)`
    dim[`--mantine-color-${name}-light-color`] = `var(--mantine-color-${name}-1)`
  }
  light['--mantine-color-gray-text'] = gray[6]
  dim['--mantine-color-gray-text'] = dark[2]
  dim['--mantine-color-ink-light'] = '#232c55'
  dim['--mantine-color-ink-light-hover'] = '#2c3768'
  dim['--mantine-color-gray-light'] = dark[5]
  dim['--mantine-color-gray-light-hover'] = dark[4]
  dim['--mantine-color-gray-light-color'] = dark[0]
  return { variables: {}, light, dark: dim }
}

function surfaceVariables(scheme: 'light' | 'dark'): Record<string, string> {
  const surfaces = Object.entries(SURFACES[scheme]).map(([name, value]) => [`--portico-${name}`, value])
  const tones = Object.entries(TONES[scheme]).flatMap(([name, parts]) =>
    Object.entries(parts).map(([part, value]) => [`--portico-${name}-${part}`, value]),
  )
  return Object.fromEntries([...surfaces, ...tones])
}
