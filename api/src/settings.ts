export { localUrl } from './settings/address.js';
export { settingsTable } from './settings/document.js';
export { CHECKOUT, loadSettings, readSettings, type SettingSources } from './settings/load.js';
export { SETTINGS, type Settings } from './settings/table.js';
