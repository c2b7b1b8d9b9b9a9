/** Chosen language of this browser and its texts. */
import { readSetting, writeSetting } from '../app/settings.ts'
import type { Area } from './en/index.ts'
import { LoadedTexts } from './loaded-texts.ts'
import { type DashboardLocale, dashboardLocales, languages } from './locales.ts'

const LOCALE_SETTING = 'locale'

/** Chosen language, or the first of the browser that the dashboard has. */
export const chosenLocale = (): DashboardLocale => {
  const wanted = [readSetting(LOCALE_SETTING), ...navigator.languages]
  const tags = wanted.map((tag) => tag?.split('-', 1)[0])
  return tags.map((one) => dashboardLocales.find((known) => known === one)).find(Boolean) ?? 'en'
}

export const chooseLocale = (locale: DashboardLocale): void => writeSetting(LOCALE_SETTING, locale)

const loads = new Map<DashboardLocale, Promise<LoadedTexts>>()

/** Texts of the frame; another language has all areas, so that no view waits while it changes. */
export const loadTexts = async (locale: DashboardLocale): Promise<LoadedTexts> => {
  const isFirst = loads.size === 0
  const known = loads.get(locale)
  if (known !== undefined) return known
  const load = languages[locale].load().then(async (texts) => {
    const loaded = new LoadedTexts(texts)
    if (!isFirst) await loaded.load()
    return loaded
  })
  loads.set(locale, load)
  load.catch(() => loads.delete(locale))
  return load
}

/**
 * Returns a loader of a view and of the texts that it reads. Texts of other areas are loaded when the
 * view reads them, a round trip later.
 */
export const withTexts =
  <View>(load: () => Promise<View>, ...areas: readonly Area[]) =>
  async (): Promise<View> => {
    const texts = loadTexts(chosenLocale()).then((loaded) => loaded.load(areas))
    const [view] = await Promise.all([load(), texts])
    return view
  }
