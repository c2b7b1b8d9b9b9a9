/**
 * Modules that are loaded on demand. A load fails without a network, while the service refuses
 * requests, and once a new version of the dashboard, whose files have other names, is installed.
 */
export class ModuleLoadError extends Error {
  constructor(cause: unknown) {
    super('A module of the dashboard could not be loaded', { cause })
    this.name = 'ModuleLoadError'
  }
}

/** Loads modules; a failed load can be repeated. */
export const loadModule = async <Module>(load: () => Promise<Module>): Promise<Module> => {
  try {
    await Promise.all([...failedStyles].map(loadStyle))
    return await load()
  } catch (error) {
    throw error instanceof ModuleLoadError ? error : new ModuleLoadError(error)
  }
}

/** Addresses of style sheets that are missing. The loader of Vite requests each of them only once. */
const failedStyles = new Set<string>()

/** Lets the next load of a module request the style sheets that fail from now on. */
export const followFailedStyles = (): void => {
  const onError = ({ target }: Event) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return
    failedStyles.add(target.href)
    target.remove()
  }
  document.addEventListener('error', onError, { capture: true })
}

const loadStyle = (href: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement('link')
    link.rel = 'stylesheet'
    link.href = href
    link.addEventListener('error', () => reject(new Error(`${href} could not be loaded`)))
    link.addEventListener('load', () => {
      failedStyles.delete(href)
      resolve()
    })
    document.head.append(link)
  })
