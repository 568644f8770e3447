/** Pictures on the terminals that can show them: by kitty's protocol or by iTerm's. Others get a line about it. */

import type { Io } from './io.ts'

const CHUNK = 4096

/** Undefined where the terminal, as far as its environment tells, shows none. */
function pictureProtocol(env: Io['env']): 'kitty' | 'iterm' | undefined {
  // What stands between may not let them through.
  if (env.TMUX !== undefined || env.STY !== undefined) return undefined
  if (env.TERM_PROGRAM === 'iTerm.app' || env.LC_TERMINAL === 'iTerm2' || env.TERM_PROGRAM === 'WezTerm') return 'iterm'
  return env.KITTY_WINDOW_ID !== undefined || env.TERM === 'xterm-kitty' || env.TERM_PROGRAM === 'ghostty'
    ? 'kitty'
    : undefined
}

/** The bytes that show it. The data is encoded anew: nothing of a server's reaches the terminal as it came. */
export function toPicture(data: string, mimeType: string, env: Io['env']): Buffer | undefined {
  const protocol = pictureProtocol(env)
  const bytes = Buffer.from(data, 'base64')
  const clean = bytes.toString('base64')
  if (protocol === undefined || bytes.length === 0) return undefined
  if (protocol === 'iterm') {
    if (!/^image\/(?:png|jpeg|gif|webp)$/.test(mimeType)) return undefined
    return Buffer.from(`\u001B]1337;File=inline=1;size=${bytes.length}:${clean}\u0007\n`)
  }
  if (mimeType !== 'image/png') return undefined
  const chunks = clean.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? []
  const parts = chunks.map((chunk, at) => {
    const more = at < chunks.length - 1 ? 1 : 0
    return `\u001B_G${at === 0 ? 'a=T,f=100,' : ''}m=${more};${chunk}\u001B\\`
  })
  return Buffer.from(`${parts.join('')}\n`)
}
