/** Of this package; a test keeps it equal to the one in `package.json`. */
export const VERSION = '0.1.0';
