/** Time zones of Statuspage: IANA names in the public API, names of Ruby on Rails in the v1 API. */
import { textFormats } from '@status-page/service'

/** Zones of Rails that are not named after a city. */
const namedZones = {
  'International Date Line West': 'Etc/GMT+12',
  'Midway Island': 'Pacific/Midway',
  'American Samoa': 'Pacific/Pago_Pago',
  Hawaii: 'Pacific/Honolulu',
  Alaska: 'America/Juneau',
  'Pacific Time (US & Canada)': 'America/Los_Angeles',
  Arizona: 'America/Phoenix',
  'Mountain Time (US & Canada)': 'America/Denver',
  'Central America': 'America/Guatemala',
  'Central Time (US & Canada)': 'America/Chicago',
  'Eastern Time (US & Canada)': 'America/New_York',
  'Indiana (East)': 'America/Indiana/Indianapolis',
  'Atlantic Time (Canada)': 'America/Halifax',
  Newfoundland: 'America/St_Johns',
  Brasilia: 'America/Sao_Paulo',
  Greenland: 'America/Godthab',
  'Mid-Atlantic': 'Atlantic/South_Georgia',
  'Cape Verde Is.': 'Atlantic/Cape_Verde',
  Edinburgh: 'Europe/London',
  Bern: 'Europe/Zurich',
  'West Central Africa': 'Africa/Algiers',
  Pretoria: 'Africa/Johannesburg',
  'St. Petersburg': 'Europe/Moscow',
  'Abu Dhabi': 'Asia/Muscat',
  Islamabad: 'Asia/Karachi',
  Mumbai: 'Asia/Kolkata',
  'New Delhi': 'Asia/Kolkata',
  Chennai: 'Asia/Kolkata',
  'Sri Jayawardenepura': 'Asia/Colombo',
  Hanoi: 'Asia/Bangkok',
  Beijing: 'Asia/Shanghai',
  Osaka: 'Asia/Tokyo',
  Sapporo: 'Asia/Tokyo',
  Canberra: 'Australia/Sydney',
  'Solomon Is.': 'Pacific/Guadalcanal',
  'New Caledonia': 'Pacific/Noumea',
  'Marshall Is.': 'Pacific/Majuro',
  Wellington: 'Pacific/Auckland',
  "Nuku'alofa": 'Pacific/Tongatapu',
  'Tokelau Is.': 'Pacific/Fakaofo',
  'Chatham Is.': 'Pacific/Chatham',
  Samoa: 'Pacific/Apia',
}

const zonesByName: ReadonlyMap<string, string> = new Map(Object.entries(namedZones))

/** IANA name of the zone; null for an unknown one. */
export const timeZoneOf = (given: string): string | null => {
  const name = given.trim()
  if (isZone(name)) return name
  return zonesByName.get(name) ?? zoneOfCity(name)
}

const isZone = (name: string): boolean => textFormats['time-zone']?.accepts(name) === true

const zoneOfCity = (name: string): string | null => {
  const city = `/${name.replaceAll(' ', '_')}`
  return Intl.supportedValuesOf('timeZone').find((zone) => zone.endsWith(city)) ?? null
}
