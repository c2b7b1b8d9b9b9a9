/** Command palette and list of shortcuts of the whole application; each is loaded when opened. */
import { useMemo, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useShortcuts } from '../kit/shortcuts.ts'
import { lazyComponent, useLoaded } from '../modules/lazy-component.ts'
import { ModuleDialog } from '../modules/module-problem.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { PaletteDestination, PaletteView } from './palette-props.ts'

const lazyViews = lazyComponent(async () => (await import('./palette-views.tsx')).PaletteViews)

export const Palette = ({ destinations }: { destinations: readonly PaletteDestination[] }) => {
  const { palette: texts } = useTexts()
  const [view, setView] = useState<PaletteView>(null)
  const isNeeded = view !== null
  const { Component, error, retry } = useLoaded(lazyViews, { isNeeded, isLoadedAhead: false })
  useShortcuts(
    useMemo(
      () => [
        { key: 'k', withControl: true, onPress: () => setView('palette') },
        { key: '?', onPress: () => setView('shortcuts') },
      ],
      [],
    ),
  )
  return (
    <>
      <Button emphasis="quiet" aria-label={texts.title} onPress={() => setView('palette')}>
        <Icon name="search" />
      </Button>
      {Component !== null && (
        <Component view={view} destinations={destinations} onChange={setView} />
      )}
      {error !== null && (
        <ModuleDialog title={texts.title} onRetry={retry} onClose={() => setView(null)} />
      )}
    </>
  )
}
