// Replaces the live part of the page when the server sends another one. Without this script the page loads again.
const part = document.getElementById('live');
if (part !== null) {
  const events = new EventSource('/live');
  events.addEventListener('message', ({ data }) => {
    // The server escapes every value in it. Nothing is replaced while somebody is using a link of it.
    if (!part.contains(document.activeElement)) part.innerHTML = JSON.parse(data);
  });
  addEventListener('pagehide', () => events.close());
}
