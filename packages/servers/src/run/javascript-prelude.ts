/** What a guest finds in its world besides the language: evaluated in the engine before its own code. */

export const PRELUDE = `(host) => {
  const { print, list, read, write, schedule, cancel, find, hasPackages } = host
  const { stringify, parse } = JSON
  // The engine does not count its memory, and there is nobody here to share it with.
  delete globalThis.SharedArrayBuffer
  // What JSON has no form for, in words; \`this\` is what the value is in, so that a circle is known by its path.
  const toPlain = () => {
    const path = []
    return function (key, value) {
      if (typeof value === 'bigint') return String(value) + 'n'
      if (typeof value !== 'object' || value === null) return value
      while (path.length > 0 && path[path.length - 1].shown !== this) path.pop()
      if (path.some(({ given }) => given === value)) return '[circle]'
      let shown = value
      if (value instanceof Map) shown = { Map: [...value] }
      else if (value instanceof Set) shown = { Set: [...value] }
      else if (value instanceof Error) return String(value)
      path.push({ given: value, shown })
      return shown
    }
  }
  const show = (value) => {
    if (typeof value === 'string') return value
    if (value instanceof Error) return String(value) + (value.stack ? '\\n' + value.stack.trimEnd() : '')
    if (typeof value !== 'object' || value === null) return String(value)
    try { return stringify(value, toPlain()) ?? String(value) } catch { return String(value) }
  }
  const to = (stream) => (...values) => print(stream, values.map(show).join(' '))
  const log = to('stdout')
  const error = to('stderr')
  const waiting = new Map()
  let last = 0
  const later = (again) => (action, delay, ...values) => {
    const id = ++last
    waiting.set(id, () => {
      if (again && waiting.has(id)) schedule(id, Number(delay) || 0)
      else waiting.delete(id)
      action(...values)
    })
    schedule(id, Number(delay) || 0)
    return id
  }
  const clear = (id) => { waiting.delete(id); cancel(Number(id) || 0) }
  const define = (name, value) => Object.defineProperty(globalThis, name, { value, writable: true, configurable: true })
  define('console', { log, info: log, debug: log, warn: error, error })
  define('files', {
    list: () => parse(list()),
    read: (path) => read(String(path)),
    write: (path, text) => { write(String(path), typeof text === 'string' ? text : show(text)) },
  })
  define('setTimeout', later(false))
  define('setInterval', later(true))
  define('clearTimeout', clear)
  define('clearInterval', clear)
  const loaded = new Map()
  const requireFrom = (base) => (request) => {
    const { id, kind, source } = parse(find(base, String(request)))
    if (loaded.has(id)) return loaded.get(id).exports
    if (kind === 'module') throw new Error(id + ' is a module: use import')
    const module = { exports: {} }
    loaded.set(id, module)
    try {
      if (kind === 'json') module.exports = parse(source)
      else new Function('module', 'exports', 'require', source)(module, module.exports, requireFrom(id))
    } catch (error) {
      // What failed half way is run again by whoever asks for it next, as Node does.
      loaded.delete(id)
      throw error
    }
    return module.exports
  }
  if (hasPackages()) define('require', requireFrom(''))
  return { show, fire: (id) => waiting.get(id)?.() }
}`
