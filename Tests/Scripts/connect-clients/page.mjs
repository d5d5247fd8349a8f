// Stands in for a browser, for a program of a page: the environment has its token and its origin. Sends the header fields
// of a page of another origin than the server's, and prints the text of the page whenever it changes.
const {token, origin} = process.env;
globalThis.sessionStorage = {getItem: (key) => (key === "token" ? token : null)};
globalThis.document = {body: {set innerText(text) { console.log(text); }}};
const fetch = globalThis.fetch;
globalThis.fetch = (url, {headers, ...options}) =>
  fetch(url, {...options, headers: {...headers, "Origin": origin, "Sec-Fetch-Site": "cross-site"}});
