/** The version of this package, told to the server in `hello`. */
export const CLIENT_VERSION = '0.1.0';
