/** Properties of the command palette and of the list of shortcuts. */

export interface PaletteDestination {
  to: string
  label: string
}

export type PaletteView = 'palette' | 'shortcuts' | null

export interface PaletteViewProps {
  /** View that is open. */
  view: PaletteView
  destinations: readonly PaletteDestination[]
  onChange(view: PaletteView): void
}
