/** Colours of a theme are readable in light and dark mode. */
import fc from 'fast-check'
import t from 'tap'
import {
  colourDeclarations,
  contrastRatio,
  darkColours,
  ensureContrast,
  lightColours,
  noTheme,
} from './theme.ts'

t.test(
  'every chosen colour has enough contrast in light and dark mode, and so has text on it',
  async (t) => {
    const colour = fc
      .integer({ min: 0, max: 0xffffff })
      .map((n) => `#${n.toString(16).padStart(6, '0')}`)
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(colour, (chosen) =>
          [lightColours, darkColours].every(
            ({ card }) => contrastRatio(ensureContrast(chosen, card, 4.5), card) >= 4.5,
          ),
        ),
      ),
    )
    t.doesNotThrow(() =>
      fc.assert(
        fc.property(colour, (chosen) => {
          const theme = { ...noTheme, primaryColor: chosen }
          return (['light', 'dark'] as const).every((which) => {
            const said = new Map(
              colourDeclarations(theme, which)
                .split(';')
                .map((one) => one.split(':') as [string, string]),
            )
            const on = said.get('--on-link') === '#fff' ? '#ffffff' : '#0b1016'
            return contrastRatio(said.get('--link') ?? '', on) >= 4.5
          })
        }),
      ),
    )
  },
)
