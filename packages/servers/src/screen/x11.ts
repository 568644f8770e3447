/** Pictures of an X11 screen, with whichever of the usual programs is there. */

import { ToolError } from '@portico/sdk/server'
import { findProgram } from '../machine/program.ts'
import {
  ask,
  askFile,
  type Display,
  type Picture,
  type ScreenProvider,
  type Target,
  type Tools,
  toPicture,
  type Window,
} from './provider.ts'
import { fromWindowDump } from './x11-dump.ts'

const MAX_WINDOWS = 200
/** A page chooses the title of its window, and programs print it whole. */
const MAX_LINE = 2_000

export async function openX11(tools: Tools): Promise<ScreenProvider | string> {
  const [maim, magick, scrot, xwd, xwininfo, xrandr] = await Promise.all(
    ['maim', 'import', 'scrot', 'xwd', 'xwininfo', 'xrandr'].map((name) => findProgram(name)),
  )
  const name = maim ? 'maim' : magick ? 'import' : xwd ? 'xwd' : scrot ? 'scrot' : undefined
  if (name === undefined)
    return 'Install one of these to take pictures of an X11 screen: maim, imagemagick, x11-apps (xwd), scrot.'
  const displays = (signal?: AbortSignal) => listDisplays(tools, { xrandr, xwininfo }, signal)
  return {
    name: `X11 (${name})`,
    displays,
    windows: (signal) => (xwininfo === undefined ? Promise.resolve([]) : listWindows(tools, xwininfo, signal)),
    hasWindow: (id, signal) =>
      xwininfo === undefined
        ? Promise.resolve(true)
        : ask(tools, xwininfo, ['-id', id], { signal }).then(
            () => true,
            () => false,
          ),
    async capture(target, signal) {
      const area =
        target.kind === 'display'
          ? (await displays(signal)).find(({ number }) => number === target.number)?.area
          : undefined
      if (maim !== undefined) return toPicture(await ask(tools, maim, maimArguments(target, area), { signal }))
      if (magick !== undefined) return toPicture(await ask(tools, magick, importArguments(target, area), { signal }))
      if (xwd !== undefined) {
        const whole = target.kind === 'window' ? ['-id', target.id] : ['-root']
        return toPicture(
          fromWindowDump(
            await ask({ ...tools, settings: { ...tools.settings, maxBytes: RAW_BYTES } }, xwd, ['-silent', ...whole], {
              signal,
            }),
          ),
        )
      }
      return byScrot(tools, scrot ?? '', target, signal)
    },
  }
}

/** Pixels are large before they are packed. */
const RAW_BYTES = 200_000_000

function maimArguments(target: Target, area: string | undefined): string[] {
  const which = target.kind === 'window' ? ['-i', target.id] : area === undefined ? [] : ['-g', area]
  return ['--hidecursor', '--format=png', ...which]
}

function importArguments(target: Target, area: string | undefined): string[] {
  const which = target.kind === 'window' ? target.id : 'root'
  return ['-silent', '-window', which, ...(area === undefined ? [] : ['-crop', area, '+repage']), 'png:-']
}

async function byScrot(tools: Tools, scrot: string, target: Target, signal?: AbortSignal): Promise<Picture> {
  const which = target.kind === 'window' ? ['--window', target.id] : []
  return toPicture(await askFile(tools, scrot, (file) => ['--silent', ...which, file], { signal }))
}

/** Each monitor by itself where they can be told apart; the whole screen otherwise. */
async function listDisplays(
  tools: Tools,
  { xrandr, xwininfo }: { readonly xrandr: string | undefined; readonly xwininfo: string | undefined },
  signal?: AbortSignal,
): Promise<(Display & { area?: string })[]> {
  const whole = [{ number: 0, name: `Screen ${tools.env.DISPLAY ?? ''}`.trim() }]
  const program = xrandr ?? xwininfo
  const args = xrandr === undefined ? ['-root'] : ['--listmonitors']
  if (program === undefined) return whole
  const text = await ask(tools, program, args, { signal }).then(String, (error: unknown) => {
    if (error instanceof ToolError && /open display/i.test(error.message)) throw noServer(tools, error)
    return ''
  })
  const monitors = [...text.matchAll(/^\s*\d+:\s+\S+\s+(\d+)\/\d+x(\d+)\/\d+([+-]\d+[+-]\d+)\s+(\S+)/gm)]
  if (monitors.length < 2) return whole
  return monitors.map(([, width, height, at, name = ''], number) => ({ number, name, area: `${width}x${height}${at}` }))
}

function noServer({ env }: Tools, cause: unknown): ToolError {
  const words = `There is no screen: no X server answers at ${env.DISPLAY}. Start the server in the desktop session, or name its display (option "display").`
  return new ToolError(words, { cause })
}

/** Windows that have a name and a size worth a picture. */
async function listWindows(tools: Tools, xwininfo: string, signal?: AbortSignal): Promise<Window[]> {
  const tree = await ask(tools, xwininfo, ['-root', '-tree', '-int'], { signal }).then(String, () => '')
  const lines = tree.split('\n').filter((line) => line.length <= MAX_LINE)
  const found = lines.flatMap((line) => [/^\s+(\d+) "(.*)": \(.*\)\s+(\d+)x(\d+)[+-]/.exec(line) ?? []])
  const windows = found.filter(([, , , width, height]) => Number(width) >= 20 && Number(height) >= 20)
  return windows.slice(0, MAX_WINDOWS).map(([, id = '', title = '']) => ({ id, title }))
}
