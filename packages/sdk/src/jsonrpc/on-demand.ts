/**
 * Parts that only some programs need are loaded when they are needed, so that a bundle of the others does without them
 * (`docs/decisions/loaded-when-needed.md`).
 */

/** The module, or the promise of it while it is loaded. */
type OnDemand<Module> = () => Module | Promise<Module>

/**
 * Gives how to get a module that `load` imports: a promise until it is there, then the module itself. Whoever waits goes
 * on in the order of asking, before anybody who finds it loaded. A failure is for those who waited; the next one tries again.
 */
export function onDemand<Module extends object>(load: () => Promise<Module>): OnDemand<Module> {
  let loaded: Module | undefined
  let loading: Promise<Module> | undefined
  return () => {
    if (loaded !== undefined) return loaded
    if (loading === undefined) {
      loading = load()
      // The first to be told: those who wait come right behind it, with nothing in between.
      loading.then(
        (module) => {
          loaded = module
        },
        () => {
          loading = undefined
        },
      )
    }
    return loading
  }
}
