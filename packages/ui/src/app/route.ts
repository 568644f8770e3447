/** Which screen is shown, kept in the address: `#/tools?name=files_read_file`. */

import { useSyncExternalStore } from 'react'

interface Route {
  readonly path: string
  readonly query: URLSearchParams
}

let current = read()
const changes = new Set<() => void>()

window.addEventListener('hashchange', () => {
  current = read()
  for (const changed of changes) changed()
})

export function useRoute(): Route {
  return useSyncExternalStore(
    (changed) => {
      changes.add(changed)
      return () => changes.delete(changed)
    },
    () => current,
  )
}

export function go(path: string, query: { readonly [name: string]: string | undefined } = {}): void {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const text = new URLSearchParams(given).toString()
  window.location.hash = text === '' ? path : `${path}?${text}`
}

function read(): Route {
  const [path = '', query = ''] = window.location.hash.replace(/^#/, '').split('?')
  return { path: path === '' ? '/servers' : path, query: new URLSearchParams(query) }
}
