/** Where Neovim keeps what is the user's, by platform and environment. */

import { join } from 'node:path'

type Env = { readonly [name: string]: string | undefined }

/** Packages are in `site/pack` below it. */
export function neovimData(env: Env, home: string): string {
  const { XDG_DATA_HOME, LOCALAPPDATA } = env
  const folder = XDG_DATA_HOME ?? LOCALAPPDATA ?? join(home, '.local', 'share')
  return join(folder, LOCALAPPDATA === undefined ? 'nvim' : 'nvim-data')
}

export function neovimConfig(env: Env, home: string): string {
  return join(env.XDG_CONFIG_HOME ?? env.LOCALAPPDATA ?? join(home, '.config'), 'nvim')
}
