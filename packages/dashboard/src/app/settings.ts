/** Settings of this browser; a browser without storage uses the defaults. */

const PREFIX = 'dashboard.'

export const settingKey = (name: string): string => PREFIX + name

export const readSetting = (name: string): string | null => {
  try {
    return localStorage.getItem(settingKey(name))
  } catch {
    return null
  }
}

export const writeSetting = (name: string, value: string | null): void => {
  try {
    if (value === null) localStorage.removeItem(settingKey(name))
    else localStorage.setItem(settingKey(name), value)
  } catch {
    // Storage is disabled or full; the setting lasts as long as the page.
  }
}

/** Names of the stored settings. */
export const settingNames = (): string[] => {
  try {
    const names = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index))
    return names.flatMap((name) => (name?.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []))
  } catch {
    return []
  }
}
