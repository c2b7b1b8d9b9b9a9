/**
 * Favicon: the organization's own while everything is operational, otherwise an icon of the status.
 */
import type { Indicator } from '@status-page/contracts'
import { stateColour } from '@status-page/html'
import type { StatusPageRow } from '../../../tables.ts'
import { statusByIndicator } from './banner.ts'
import { favicon } from './icons.ts'

export const faviconOf = ({ theme }: StatusPageRow, indicator: Indicator): string => {
  const status = statusByIndicator[indicator]
  return favicon(status, stateColour(theme, status))
}

/** Favicon as a data URL in the page, so that a new status needs no request. */
export const stateIcon = (page: StatusPageRow, indicator: Indicator): string =>
  indicator === 'none' && page.faviconUrl !== null
    ? page.faviconUrl
    : `data:image/svg+xml,${encodeURIComponent(faviconOf(page, indicator))}`
