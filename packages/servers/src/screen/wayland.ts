/** Pictures of a Wayland screen. Compositors decide who may take them, and tell nobody which windows there are. */

import { ToolError } from '@portico/sdk/server'
import { findProgram } from '../machine/program.ts'
import { ask, askFile, type Display, type ScreenProvider, type Tools, toPicture } from './provider.ts'

export async function openWayland(tools: Tools): Promise<ScreenProvider | string> {
  const [grim, gnome, spectacle, swaymsg] = await Promise.all(
    ['grim', 'gnome-screenshot', 'spectacle', 'swaymsg'].map((name) => findProgram(name)),
  )
  const name = grim ? 'grim' : spectacle ? 'spectacle' : gnome ? 'gnome-screenshot' : undefined
  if (name === undefined) {
    return 'Install one of these to take pictures of a Wayland screen: grim (Sway, Hyprland and others), spectacle (KDE), gnome-screenshot (GNOME).'
  }
  const displays = (signal?: AbortSignal) => listDisplays(tools, grim === undefined ? undefined : swaymsg, signal)
  return {
    name: `Wayland (${name})`,
    displays,
    windows: () => Promise.resolve([]),
    hasWindow: () => Promise.resolve(true),
    async capture(target, signal) {
      if (target.kind === 'window') throw new ToolError('Wayland gives no pictures of single windows. Take the screen.')
      if (grim !== undefined) {
        const output = (await displays(signal)).find(({ number }) => number === target.number)?.output
        return toPicture(
          await ask(tools, grim, [...(output === undefined ? [] : ['-o', output]), '-t', 'png', '-'], { signal }),
        )
      }
      if (spectacle !== undefined) {
        const args = (file: string) => ['--background', '--nonotify', '--fullscreen', '--output', file]
        return toPicture(await askFile(tools, spectacle, args, { signal }))
      }
      return toPicture(await askFile(tools, gnome ?? '', (file) => ['--file', file], { signal }))
    },
  }
}

async function listDisplays(
  tools: Tools,
  swaymsg: string | undefined,
  signal?: AbortSignal,
): Promise<(Display & { output?: string })[]> {
  const whole = [{ number: 0, name: 'All screens' }]
  if (swaymsg === undefined) return whole
  try {
    const outputs: unknown = JSON.parse(String(await ask(tools, swaymsg, ['-t', 'get_outputs', '-r'], { signal })))
    const names = (Array.isArray(outputs) ? outputs : []).map((one: { name?: unknown }) => String(one?.name ?? ''))
    const known = names.filter((one) => /^[\w-]{1,50}$/.test(one))
    return known.length === 0 ? whole : known.map((output, number) => ({ number, name: output, output }))
  } catch {
    return whole
  }
}
