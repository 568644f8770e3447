// Teaches: keeping a server's data apart from its definition. The notebook behind `notes.ts`, in memory.
import { RpcError } from '@portico/sdk/server'

const notes = new Map([['welcome', 'Portico keeps these notes in memory; they are gone when it stops.']])

export const notebook = {
  /** True when there was no such note before. */
  write(title: string, text: string): boolean {
    const isNew = !notes.has(title)
    notes.set(title, text)
    return isNew
  },
  read(title: string): string {
    const text = notes.get(title)
    if (text === undefined) throw new RpcError(-32602, `There is no note "${title}"`)
    return text
  },
  has: (title: string): boolean => notes.has(title),
  remove: (title: string): boolean => notes.delete(title),
  titles: (typed = ''): string[] => [...notes.keys()].filter((title) => title.startsWith(typed)),
  search: (words: string): string[] =>
    [...notes].filter((note) => note.join(' ').toLowerCase().includes(words.toLowerCase())).map(([title]) => title),
  uri: (title: string): string => `notes://${encodeURIComponent(title)}`,
}
