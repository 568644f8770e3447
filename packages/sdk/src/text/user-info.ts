/** What stands before the host of an address: a name, a password, a token. One pass, however the text is made. */

/**
 * The text with `replace(userInfo)` in place of what stands before the host of every address in it. A password may have `@`, `:`
 * and `/` in it where somebody forgot to encode them; digits and a slash are a port.
 */
export function replaceUserInfo(text: string, replace: (userInfo: string) => string): string {
  return text.replace(/\S+/g, (word) => inWord(word, replace))
}

function inWord(word: string, replace: (userInfo: string) => string): string {
  const last = word.lastIndexOf('@')
  if (last === -1) return word
  let shown = ''
  let done = 0
  for (const { index, 0: scheme } of word.matchAll(SCHEME)) {
    const start = index + scheme.length
    if (start > last) break
    if (start < done) continue
    USER.lastIndex = start
    const [user = '', end] = USER.exec(word) ?? []
    const to = end === ':' ? last : end === '@' && user.length > 1 ? start + user.length - 1 : undefined
    if (to === undefined) continue
    shown += `${word.slice(done, start)}${replace(word.slice(start, to))}`
    done = to
  }
  return shown + word.slice(done)
}

const SCHEME = /[a-z][a-z\d+.-]{0,30}:\/\//gi
const USER = /[^/@:]*(:(?!\d+(?:[/?#]|$))|@)/y
