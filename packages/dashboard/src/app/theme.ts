/** Light or dark mode: that of the system, or the chosen one. */
import { readSetting, writeSetting } from './settings.ts'

export const themes = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof themes)[number]

const SETTING = 'theme'

export const chosenTheme = (): ThemeChoice => {
  const stored = readSetting(SETTING)
  return themes.find((theme) => theme === stored) ?? 'system'
}

export const chooseTheme = (theme: ThemeChoice): void => {
  writeSetting(SETTING, theme === 'system' ? null : theme)
  applyTheme(theme)
}

export const applyTheme = (theme: ThemeChoice): void => {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}
